import {
  CONTRACT_RETENTION_MS,
  idempotencyStoreContract,
} from '../../../test/contract/idempotency-store.ts';
import { createIdempotencyStore } from '../sql/idempotency-store.ts';
import { openSqlite } from './open-sqlite.ts';

idempotencyStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  const idempotency = createIdempotencyStore(store.db, { retentionMs: CONTRACT_RETENTION_MS });
  return { stores: [idempotency], close: () => store.close() };
});
