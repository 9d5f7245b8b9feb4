// The contract of idempotency keys on PostgreSQL, with the connection pools of three servers.

import { after, before } from 'node:test';
import {
  CONTRACT_RETENTION_MS,
  idempotencyStoreContract,
} from '../../../test/contract/idempotency-store.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createIdempotencyStore } from '../sql/idempotency-store.ts';
import { openPostgres, type PostgresStore } from './connection/open-postgres.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('idempotency');
});
after(() => database.drop());

idempotencyStoreContract('PostgreSQL', async () => {
  const first = await openEmptyStore(database);
  const others = [openPostgres(database.url), openPostgres(database.url)];
  return {
    stores: [portOf(first), ...others.map(portOf)],
    close: async () => {
      for (const store of [first, ...others]) await store.close();
    },
  };
});

function portOf({ db }: PostgresStore) {
  return createIdempotencyStore(db, { retentionMs: CONTRACT_RETENTION_MS });
}
