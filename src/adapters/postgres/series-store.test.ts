import { after, before } from 'node:test';
import { seriesStoreContract } from '../../../test/contract/dashboard/series-store.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createSeriesStore } from '../sql/series/series-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('series');
});
after(() => database.drop());

seriesStoreContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return { series: createSeriesStore(store.db), close: () => store.close() };
});
