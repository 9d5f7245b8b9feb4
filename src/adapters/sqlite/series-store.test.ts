import { seriesStoreContract } from '../../../test/contract/dashboard/series-store.ts';
import { createSeriesStore } from '../sql/series/series-store.ts';
import { openSqlite } from './open-sqlite.ts';

seriesStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { series: createSeriesStore(store.db), close: () => store.close() };
});
