// The row `dashboard` on PostgreSQL: each gateway has its own database, which is dropped at the end.

import type { BenchRow } from '../bench-row.ts';
import { measurePages, PAGE_GOALS } from '../history/measure-pages.ts';
import { seedPostgres } from '../history/seed-history.ts';
import { startEngines } from '../processes/start-engines.ts';

export const row: BenchRow = {
  name: 'dashboard-postgres',
  title: 'The dashboard on PostgreSQL with 10 million usage records and 1 million jobs',
  order: 7.6,
  canCalibrate: false,
  goals: PAGE_GOALS,
  async run(stage) {
    const { databaseUrl } = await startEngines(stage, ['postgres']);
    return measurePages(stage, async (upstreamPort, history) => {
      const url = await seedPostgres(databaseUrl, history, stage);
      const gateway = await stage.startSubject(upstreamPort, { DATABASE_URL: url });
      return { ...gateway, name: `gateway with ${history.usageRecords} usage records` };
    });
  },
};
