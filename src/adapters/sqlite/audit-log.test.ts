// The audit log's contract on embedded storage.

import { auditLogContract } from '../../../test/contract/audit-log.ts';
import { createAuditLog } from '../sql/audit-log.ts';
import { openSqlite } from './open-sqlite.ts';

auditLogContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { audit: createAuditLog(store.db), close: () => store.close() };
});
