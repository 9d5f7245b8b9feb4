// Gateways, dispatchers and workers are killed with SIGKILL in random order under load and restarted.

import type { ChaosRow } from '../chaos-row.ts';
import { crewVictims, executeKills } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';

export const row: ChaosRow = {
  name: 'jobs-kills',
  title: 'kill -9 of gateways, dispatchers and workers',
  order: 1,
  isInShort: true,
  run: (arena) =>
    runJobsUnderFault(arena, {
      inject: async ({ crew }) => [
        `killed ${(await executeKills(arena, crewVictims(crew.all))).join(', ')}`,
      ],
    }),
};
