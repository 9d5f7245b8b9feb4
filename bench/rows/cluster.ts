// The call of `unary` with PostgreSQL as the store and Redis as the shared state. The engines are private to the row;
// their own CPU time is not counted.

import type { BenchRow } from '../bench-row.ts';
import { measureUnary } from '../measure-unary.ts';
import { startEngines } from '../processes/start-engines.ts';

export const row: BenchRow = {
  name: 'cluster',
  title: 'the same on PostgreSQL and Redis',
  order: 2,
  canCalibrate: false,
  goals: [{ key: 'cpu', what: 'CPU per request, against the bare proxy', atMost: 2, unit: '×' }],
  async run(stage) {
    const services = await startEngines(stage, ['redis', 'postgres']);
    return measureUnary(stage, {
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      MIGRATE_ON_START: 'true',
    });
  },
};
