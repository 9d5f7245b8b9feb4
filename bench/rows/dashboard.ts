// The dashboard's pages on embedded storage: the time of a reading must not depend on the size of the history, and readings
// must not slow traffic.

import type { BenchRow } from '../bench-row.ts';
import { measurePages, PAGE_GOALS } from '../history/measure-pages.ts';
import { seedSqlite } from '../history/seed-history.ts';

export const row: BenchRow = {
  name: 'dashboard',
  title: 'The dashboard with 10 million usage records and 1 million jobs',
  order: 7.5,
  canCalibrate: false,
  goals: PAGE_GOALS,
  run: (stage) =>
    measurePages(stage, async (upstreamPort, history) => {
      const fill = (folder: string) => seedSqlite(folder, history, stage);
      const gateway = await stage.startSubject(upstreamPort, {}, fill);
      return { ...gateway, name: `gateway with ${history.usageRecords} usage records` };
    }),
};
