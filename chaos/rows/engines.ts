// RabbitMQ, Redis and PostgreSQL are killed with SIGKILL in random order under load and restarted. Redis persists
// nothing here, so each of its kills also loses every count and every known limit.

import type { ChaosRow } from '../chaos-row.ts';
import { engineVictims, executeKills } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';

export const row: ChaosRow = {
  name: 'engines',
  title: 'kill -9 of RabbitMQ, Redis and PostgreSQL',
  order: 2,
  isInShort: true,
  run: (arena) =>
    runJobsUnderFault(arena, {
      inject: async () => [
        `killed ${(await executeKills(arena, engineVictims(arena))).join(', ')}`,
      ],
    }),
};
