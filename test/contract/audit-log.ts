// The contract of the port AuditLog. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AuditEntry, AuditLog } from '../../src/admission/audit-log.ts';

export type OpenedAuditLog = { readonly audit: AuditLog; close(): Promise<void> };

export function auditLogContract(adapter: string, open: () => Promise<OpenedAuditLog>): void {
  describe(`the audit log on ${adapter}`, () => {
    let opened: OpenedAuditLog;
    before(async () => {
      opened = await open();
      for (const entry of ENTRIES) await opened.audit.append(entry);
    });
    after(() => opened.close());

    it('returns entries newest first, with every field unchanged', async () => {
      assert.deepEqual(await opened.audit.list({ limit: 10 }), ENTRIES.toReversed());
    });

    it('a page starts after the given entry', async () => {
      const [newest, , oldest] = await opened.audit.list({ limit: 10 });
      assert.deepEqual(ids(await opened.audit.list({ limit: 1, before: newest })), ['aud_2']);
      assert.deepEqual(ids(await opened.audit.list({ limit: 5, before: oldest })), []);
    });

    it('a list for one organisation contains no entry of another', async () => {
      assert.deepEqual(ids(await opened.audit.list({ limit: 9, organizationId: 'acme' })), [
        'aud_1',
      ]);
      assert.deepEqual(ids(await opened.audit.list({ limit: 9, organizationId: 'nobody' })), []);
    });

    it('an entry cannot be overwritten', async () => {
      await assert.rejects(opened.audit.append({ ...plain('aud_1'), actor: 'another-operator' }));
      assert.equal((await opened.audit.list({ limit: 9 })).at(-1)?.actor, 'admin');
    });
  });
}

const ENTRIES: readonly AuditEntry[] = [
  {
    ...plain('aud_1'),
    organizationId: 'acme',
    requestId: 'req_1',
    data: { name: 'Acmé "☂"', scopes: ['call'], nested: { budget: 12.5 } },
  },
  { ...plain('aud_2'), organizationId: 'other' },
  { ...plain('aud_0'), createdAt: 1_900_000_000_001 },
];

function plain(id: string): AuditEntry {
  return {
    id,
    actor: 'admin',
    action: 'organization.create',
    target: 'acme',
    organizationId: undefined,
    requestId: undefined,
    data: undefined,
    createdAt: 1_900_000_000_000,
  };
}

function ids(entries: readonly AuditEntry[]): readonly string[] {
  return entries.map(({ id }) => id);
}
