import { after, before } from 'node:test';
import { dashboardReadingsContract } from '../../../test/contract/dashboard/readings.ts';
import { openReadings } from '../../../test/support/stores/dashboard-readings.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createPostgresUsageStore } from './metering/usage-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('readings');
});
after(() => database.drop());

dashboardReadingsContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return { ...openReadings(store.db, createPostgresUsageStore(store)), close: () => store.close() };
});
