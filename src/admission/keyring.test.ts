import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { hashApiKey, makeApiKey } from './api-key.ts';
import type { KeyStore, KeyWithOrganization, StoredKey } from './key-store.ts';
import { createKeyring } from './keyring.ts';
import { newOrganization } from './organization.ts';
import { toPrincipal } from './principal.ts';

const HASH_KEY = 'a hash key';
const KEY = makeApiKey();
const HASH = hashApiKey(KEY, HASH_KEY);

/** Can be unavailable, and can be blocked during a lookup. */
class FakeStore implements Pick<KeyStore, 'findByHash'> {
  readonly keys = new Map<string, KeyWithOrganization>();
  lookups = 0;
  isUnavailable = false;
  blocked: Promise<void> | undefined;

  async findByHash(hash: string): Promise<KeyWithOrganization | undefined> {
    this.lookups += 1;
    const found = this.keys.get(hash);
    await this.blocked;
    if (this.isUnavailable) throw new Error('store unavailable');
    return found;
  }
}

function stored(given: Partial<StoredKey> = {}): KeyWithOrganization {
  return {
    key: {
      id: 'key_1',
      organizationId: 'acme',
      name: 'test',
      hash: HASH,
      prefix: 'sk-spill-abcd',
      scopes: ['call'],
      diagnostics: false,
      createdAt: 0,
      ...given,
    },
    organization: newOrganization({ id: 'acme' }, 0),
  };
}

function rig(given?: Partial<StoredKey>) {
  const clock = createTestClock();
  const store = new FakeStore();
  if (given) store.keys.set(HASH, stored(given));
  const keyring = createKeyring({ store, hashKey: HASH_KEY, clock });
  return { clock, store, keyring };
}

const REFUSED = { code: 'UNAUTHORIZED' };

test('a key is looked up once and then cached', async () => {
  const { keyring, store } = rig({});
  assert.equal(keyring.known(KEY), undefined);
  const principal = await keyring.find(KEY);
  assert.equal(principal.organizationId, 'acme');
  assert.equal(keyring.known(KEY), principal);
  assert.equal(await keyring.find(KEY), principal);
  assert.equal(store.lookups, 1);
});

test('a missing, a guessed and an unknown key are refused, and guesses never reach the store', async () => {
  const { keyring, store } = rig();
  await assert.rejects(keyring.find(undefined), REFUSED);
  for (const guess of ['', 'sk-spill-', `${KEY}x`, KEY.slice(0, -1), '__proto__'])
    await assert.rejects(keyring.find(guess), REFUSED);
  assert.equal(store.lookups, 0);
  await assert.rejects(keyring.find(KEY), REFUSED);
  assert.equal(store.lookups, 1);
});

test('an unknown key is not cached: it works as soon as it is created', async () => {
  const { keyring, store } = rig();
  await assert.rejects(keyring.find(KEY), REFUSED);
  store.keys.set(HASH, stored());
  assert.equal((await keyring.find(KEY)).keyId, 'key_1');
});

test('a revoked key is refused', async () => {
  await assert.rejects(rig({ revokedAt: 1 }).keyring.find(KEY), REFUSED);
});

test('a cached key is refused from its expiry timestamp on', async () => {
  const { keyring, clock } = rig({ expiresAt: createTestClock().now() + 1000 });
  await keyring.find(KEY);
  await clock.advance(999);
  assert.ok(keyring.known(KEY));
  await clock.advance(1);
  assert.equal(keyring.known(KEY), undefined);
  await assert.rejects(keyring.find(KEY), REFUSED);
});

test('a forgotten key is looked up again, and forgetting another key changes nothing', async () => {
  const { keyring, store } = rig({});
  await keyring.find(KEY);
  keyring.forget('the hash of another');
  assert.ok(keyring.known(KEY));
  keyring.forget(HASH);
  assert.equal(keyring.known(KEY), undefined);
  store.keys.set(HASH, stored({ revokedAt: 1 }));
  await assert.rejects(keyring.find(KEY), REFUSED);
  keyring.forget();
  assert.equal(keyring.known(KEY), undefined);
});

test('a key revoked during its lookup is not cached', async () => {
  for (const hash of [HASH, undefined]) {
    const { keyring, store } = rig({});
    const { promise, resolve } = Promise.withResolvers<void>();
    store.blocked = promise;
    const finding = keyring.find(KEY);
    store.keys.set(HASH, stored({ revokedAt: 1 }));
    keyring.forget(hash);
    resolve();
    await finding;
    assert.equal(keyring.known(KEY), undefined);
    await assert.rejects(keyring.find(KEY), REFUSED);
  }
});

test('while the store is unavailable cached keys work and other keys get CAPACITY_EXHAUSTED', async () => {
  const { keyring, store } = rig({});
  await keyring.find(KEY);
  store.isUnavailable = true;
  assert.ok(await keyring.find(KEY));
  await assert.rejects(keyring.find(makeApiKey()), { code: 'CAPACITY_EXHAUSTED' });
  store.isUnavailable = false;
  await assert.rejects(keyring.find(makeApiKey()), REFUSED);
});

test("the operator's own key needs no store and is rebuilt on every forget", async () => {
  const store = new FakeStore();
  store.isUnavailable = true;
  let made = 0;
  const keyring = createKeyring({
    store,
    hashKey: HASH_KEY,
    clock: createTestClock(),
    operator: {
      key: 'operator',
      principal: () => {
        made += 1;
        const principal = toPrincipal(stored({ id: `made-${made}` }));
        assert.ok(principal);
        return principal;
      },
    },
  });
  assert.equal(keyring.known('operator')?.keyId, 'made-1');
  keyring.forget('anything');
  assert.equal((await keyring.find('operator')).keyId, 'made-2');
  assert.equal(keyring.known('operato'), undefined);
});
