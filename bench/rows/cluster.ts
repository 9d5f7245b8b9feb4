// The same call as in `unary`, with PostgreSQL as the store and Redis as the shared state. The engines are private
// ones, started for this row; their own work is not the gateway's and is not counted.

import { startServices } from '../../test/support/services/start-services.ts';
import type { BenchRow } from '../bench-row.ts';
import { measureUnary } from '../measure-unary.ts';

export const row: BenchRow = {
  name: 'cluster',
  title: 'the same on PostgreSQL and Redis',
  order: 2,
  canCalibrate: false,
  goals: [{ key: 'cpu', what: 'CPU per request, against the bare proxy', atMost: 2, unit: '×' }],
  async run(stage) {
    stage.progress('starting PostgreSQL and Redis');
    const services = await startServices({
      env: process.env,
      log: (line) => stage.progress(line),
      wanted: ['redis', 'postgres'],
      signal: stage.signal,
    });
    stage.onClose(() => services.close());
    return measureUnary(stage, {
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      MIGRATE_ON_START: 'true',
    });
  },
};
