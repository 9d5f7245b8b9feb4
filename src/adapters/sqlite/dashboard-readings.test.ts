import { dashboardReadingsContract } from '../../../test/contract/dashboard/readings.ts';
import { openReadings } from '../../../test/support/stores/dashboard-readings.ts';
import { openSqlite } from './open-sqlite.ts';
import { createSqliteUsageStore } from './usage-store.ts';

dashboardReadingsContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { ...openReadings(store.db, createSqliteUsageStore(store)), close: () => store.close() };
});
