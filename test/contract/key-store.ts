// The contract of the port KeyStore. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KeyStore, StoredKey } from '../../src/admission/key-store.ts';
import { newOrganization } from '../../src/admission/organization.ts';
import type { OrganizationStore } from '../../src/admission/organization-store.ts';

export type OpenedKeyStore = {
  readonly keys: KeyStore;
  readonly organizations: OrganizationStore;
  close(): Promise<void>;
};

export function keyStoreContract(adapter: string, open: () => Promise<OpenedKeyStore>): void {
  describe(`keys on ${adapter}`, () => {
    let opened: OpenedKeyStore;
    before(async () => {
      opened = await open();
      for (const id of ['acme', 'other'])
        await opened.organizations.create(newOrganization({ id }, 1));
    });
    after(() => opened.close());

    it('finds a key by its hash, with its organisation and every field', async () => {
      const key: StoredKey = {
        ...plainKey('key_full'),
        scopes: ['call', 'limits:report'],
        diagnostics: true,
        monthlyBudgetNanos: 5_000_000_000,
        requestsPerMinute: 3,
        models: ['claude-sonnet-4'],
        expiresAt: 1_900_000_000_000,
        revokedAt: undefined,
      };
      assert.equal(await opened.keys.create(key), true);
      const found = await opened.keys.findByHash(key.hash);
      assert.deepEqual(found?.key, key);
      assert.equal(found?.organization.id, 'acme');
      assert.equal(await opened.keys.findByHash('hash of nothing'), undefined);
    });

    it('rejects a key for an organisation that does not exist', async () => {
      const key = { ...plainKey('key_lost'), organizationId: 'nobody' };
      assert.equal(await opened.keys.create(key), false);
      assert.equal(await opened.keys.findByHash(key.hash), undefined);
    });

    it('revokes a key once, for its own organisation only, and keeps the first timestamp', async () => {
      const { keys } = opened;
      const key = plainKey('key_revoked');
      await keys.create(key);
      assert.equal(await keys.revoke('other', key.id, 50), false);
      assert.equal(await keys.revoke('acme', key.id, 100), true);
      assert.equal(await keys.revoke('acme', key.id, 200), true);
      assert.equal((await keys.findByHash(key.hash))?.key.revokedAt, 100);
      assert.deepEqual(await keys.revokedSince(100), [key.hash]);
      assert.deepEqual(await keys.revokedSince(101), []);
    });

    it('the deletion of an organisation revokes its keys, and it gets no further key', async () => {
      const { keys, organizations } = opened;
      await organizations.create(newOrganization({ id: 'deleted' }, 1));
      const ofDeleted = (id: string) => ({ ...plainKey(id), organizationId: 'deleted' });
      for (const id of ['key_early', 'key_live']) await keys.create(ofDeleted(id));
      await keys.revoke('deleted', 'key_early', 300);
      await organizations.delete('deleted', 400);
      assert.deepEqual(
        (await keys.list('deleted')).map(({ id, revokedAt }) => [id, revokedAt]),
        [
          ['key_live', 400],
          ['key_early', 300],
        ],
      );
      assert.deepEqual(await keys.revokedSince(400), ['hash of key_live']);
      assert.equal(await keys.findByHash('hash of key_live'), undefined);
      assert.equal(await keys.create(ofDeleted('key_late')), false);
    });

    it('lists the keys of one organisation, newest first', async () => {
      const { keys } = opened;
      for (const id of ['key_1', 'key_2'])
        await keys.create({ ...plainKey(id), organizationId: 'other' });
      const listed = await keys.list('other');
      assert.deepEqual(
        listed.map((key) => key.id),
        ['key_2', 'key_1'],
      );
    });
  });
}

function plainKey(id: string): StoredKey {
  return {
    id,
    organizationId: 'acme',
    name: 'a key',
    hash: `hash of ${id}`,
    prefix: 'sk-spill-abcd',
    scopes: ['call'],
    diagnostics: false,
    createdAt: 1,
  };
}
