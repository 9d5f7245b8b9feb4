// What every AuditLog promises. The test of each adapter calls this with its own store.

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

    it('gives back every field as it was written, newest first', async () => {
      assert.deepEqual(await opened.audit.list({ limit: 10 }), ENTRIES.toReversed());
    });

    it('pages from the last entry that was seen', async () => {
      const [newest, , oldest] = await opened.audit.list({ limit: 10 });
      assert.deepEqual(ids(await opened.audit.list({ limit: 1, before: newest })), ['aud_2']);
      assert.deepEqual(ids(await opened.audit.list({ limit: 5, before: oldest })), []);
    });

    it('shows what concerns one organisation and nothing of another', async () => {
      assert.deepEqual(ids(await opened.audit.list({ limit: 9, organizationId: 'acme' })), [
        'aud_1',
      ]);
      assert.deepEqual(ids(await opened.audit.list({ limit: 9, organizationId: 'nobody' })), []);
    });

    it('refuses to write over an entry', async () => {
      await assert.rejects(opened.audit.append({ ...plain('aud_1'), actor: 'somebody else' }));
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
