// All processes and engines are killed with SIGKILL in random order under load, so that faults overlap with recoveries.

import type { ChaosRow } from '../chaos-row.ts';
import { harmJobs } from '../faults/harm-jobs.ts';
import { crewVictims, engineVictims, strike } from '../faults/strike.ts';

export const row: ChaosRow = {
  name: 'everything',
  title: 'kill -9 of processes and engines alike',
  order: 3,
  isInShort: false,
  run: (arena) =>
    harmJobs(arena, {
      harm: async ({ crew }) => {
        const victims = [...crewVictims(crew.all), ...engineVictims(arena)];
        return [`killed ${(await strike(arena, victims)).join(', ')}`];
      },
    }),
};
