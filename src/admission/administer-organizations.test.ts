// An action that the audit log does not accept is not carried out. On the embedded store.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createAuditLog } from '../adapters/sql/audit-log.ts';
import { createOrganizationStore } from '../adapters/sql/organization-store.ts';
import { openSqlite, type SqliteStore } from '../adapters/sqlite/open-sqlite.ts';
import { type NewId, newId } from '../kernel/ids.ts';
import { silentLog } from '../kernel/log.ts';
import { createAuditor } from './administer-audit.ts';
import { administerOrganizations } from './administer-organizations.ts';
import type { Organization } from './organization.ts';

const OPERATOR = { actor: 'admin', requestId: 'req_1' };
const clock = createTestClock();

let store: SqliteStore;
before(async () => {
  store = await openSqlite(':memory:');
});
after(() => store.close());

function open(makeId: NewId = newId) {
  const audit = createAuditLog(store.db);
  const changed: Organization[] = [];
  const organizations = administerOrganizations({
    organizations: createOrganizationStore(store.db),
    jobs: { exist: () => Promise.resolve(false), cancelAll: () => Promise.resolve() },
    auditor: createAuditor({ audit, clock, newId: makeId, log: silentLog }),
    clock,
    onChanged: (organization) => changed.push(organization),
  });
  return { organizations, audit, changed };
}

test('actions of one millisecond are listed in the order they happened', async () => {
  const { organizations, audit } = open();
  await organizations.create(OPERATOR, { id: 'ordered' });
  for (const name of ['a', 'b', 'c', 'd'])
    await organizations.change(OPERATOR, 'ordered', { name });
  const entries = await audit.list({ organizationId: 'ordered', limit: 4 });
  assert.deepEqual(
    entries.map(({ data }) => data?.['name']),
    ['d', 'c', 'b', 'a'],
  );
});

test('a change is not made if its audit entry cannot be written', async () => {
  // The audit log is append-only: the store refuses a second entry with the same id.
  const { organizations, changed } = open(() => 'aud_same');
  await organizations.create(OPERATOR, { id: 'kept' });
  await assert.rejects(organizations.change(OPERATOR, 'kept', { name: 'Changed' }));
  await assert.rejects(organizations.create(OPERATOR, { id: 'never' }));
  await assert.rejects(organizations.renewWebhookSecret(OPERATOR, 'kept'));
  assert.equal((await organizations.get('kept')).name, 'kept');
  assert.equal((await organizations.get('kept')).webhookSecret, undefined);
  await assert.rejects(organizations.get('never'), { code: 'NOT_FOUND' });
  assert.deepEqual(changed, []);
});

test('every change of an organisation is reported to onChanged with the new values', async () => {
  const { organizations, changed } = open();
  await organizations.create(OPERATOR, { id: 'changed' });
  await organizations.change(OPERATOR, 'changed', { requestsPerMinute: 3 });
  const secret = await organizations.renewWebhookSecret(OPERATOR, 'changed');
  assert.deepEqual(
    changed.map(({ requestsPerMinute, webhookSecret }) => [requestsPerMinute, webhookSecret]),
    [
      [3, undefined],
      [3, secret],
    ],
  );
});
