// Gateways, dispatchers and workers are killed with SIGKILL in random order under load and restarted.

import type { ChaosRow } from '../chaos-row.ts';
import { harmJobs } from '../faults/harm-jobs.ts';
import { crewVictims, strike } from '../faults/strike.ts';

export const row: ChaosRow = {
  name: 'jobs-kills',
  title: 'kill -9 of gateways, dispatchers and workers',
  order: 1,
  isInShort: true,
  run: (arena) =>
    harmJobs(arena, {
      harm: async ({ crew }) => [
        `killed ${(await strike(arena, crewVictims(crew.all))).join(', ')}`,
      ],
    }),
};
