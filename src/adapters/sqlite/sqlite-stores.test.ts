// The contracts of all stores, on embedded storage. The common SQL and the faster writer both have to keep them.

import { keyStoreContract } from '../../../test/contract/key-store.ts';
import { organizationStoreContract } from '../../../test/contract/organization-store.ts';
import { usageStoreContract } from '../../../test/contract/usage-store.ts';
import { createKeyStore } from '../sql/key-store.ts';
import { createOrganizationStore } from '../sql/organization-store.ts';
import { createUsageStore } from '../sql/usage-store.ts';
import { openSqlite } from './open-sqlite.ts';
import { createSqliteUsageStore } from './usage-store.ts';

organizationStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { organizations: createOrganizationStore(store.db), close: () => store.close() };
});

keyStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return {
    keys: createKeyStore(store.db),
    organizations: createOrganizationStore(store.db),
    close: () => store.close(),
  };
});

usageStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { usage: createSqliteUsageStore(store), close: () => store.close() };
});

usageStoreContract('embedded storage by the common SQL', async () => {
  const store = await openSqlite(':memory:');
  return { usage: createUsageStore(store.db, store.dialect), close: () => store.close() };
});
