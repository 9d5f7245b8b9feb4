// All processes and engines are killed with SIGKILL in random order under load, so that faults overlap with recoveries.

import type { ChaosRow } from '../chaos-row.ts';
import { crewVictims, engineVictims, executeKills } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';

export const row: ChaosRow = {
  name: 'everything',
  title: 'kill -9 of processes and engines alike',
  order: 3,
  isInShort: false,
  run: (arena) =>
    runJobsUnderFault(arena, {
      inject: async ({ crew }) => {
        const victims = [...crewVictims(crew.all), ...engineVictims(arena)];
        return [`killed ${(await executeKills(arena, victims)).join(', ')}`];
      },
    }),
};
