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

/** Can be away, and can be held in the middle of a lookup. */
class FakeStore implements Pick<KeyStore, 'findByHash'> {
  readonly keys = new Map<string, KeyWithOrganization>();
  asked = 0;
  isAway = false;
  held: Promise<void> | undefined;

  async findByHash(hash: string): Promise<KeyWithOrganization | undefined> {
    this.asked += 1;
    const found = this.keys.get(hash);
    await this.held;
    if (this.isAway) throw new Error('the store is away');
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

test('a key is looked up once and known from then on', async () => {
  const { keyring, store } = rig({});
  assert.equal(keyring.known(KEY), undefined);
  const principal = await keyring.find(KEY);
  assert.equal(principal.organizationId, 'acme');
  assert.equal(keyring.known(KEY), principal);
  assert.equal(await keyring.find(KEY), principal);
  assert.equal(store.asked, 1);
});

test('no key, a guessed one and an unknown one are refused; guesses never reach the store', async () => {
  const { keyring, store } = rig();
  await assert.rejects(keyring.find(undefined), REFUSED);
  for (const guess of ['', 'sk-spill-', `${KEY}x`, KEY.slice(0, -1), '__proto__'])
    await assert.rejects(keyring.find(guess), REFUSED);
  assert.equal(store.asked, 0);
  await assert.rejects(keyring.find(KEY), REFUSED);
  assert.equal(store.asked, 1);
});

test('an unknown key is not remembered as unknown: once it is made it works', async () => {
  const { keyring, store } = rig();
  await assert.rejects(keyring.find(KEY), REFUSED);
  store.keys.set(HASH, stored());
  assert.equal((await keyring.find(KEY)).keyId, 'key_1');
});

test('a revoked key is refused', async () => {
  await assert.rejects(rig({ revokedAt: 1 }).keyring.find(KEY), REFUSED);
});

test('a remembered key ends at its very moment', async () => {
  const { keyring, clock } = rig({ expiresAt: createTestClock().now() + 1000 });
  await keyring.find(KEY);
  await clock.advance(999);
  assert.ok(keyring.known(KEY));
  await clock.advance(1);
  assert.equal(keyring.known(KEY), undefined);
  await assert.rejects(keyring.find(KEY), REFUSED);
});

test('a forgotten key is asked for again; forgetting another changes nothing', async () => {
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

test('a key revoked while it is being looked up is not remembered from the old answer', async () => {
  for (const hash of [HASH, undefined]) {
    const { keyring, store } = rig({});
    const { promise, resolve } = Promise.withResolvers<void>();
    store.held = promise;
    const finding = keyring.find(KEY);
    store.keys.set(HASH, stored({ revokedAt: 1 }));
    keyring.forget(hash);
    resolve();
    await finding;
    assert.equal(keyring.known(KEY), undefined);
    await assert.rejects(keyring.find(KEY), REFUSED);
  }
});

test('while the store is away known keys go on and unknown ones are told so', async () => {
  const { keyring, store } = rig({});
  await keyring.find(KEY);
  store.isAway = true;
  assert.ok(await keyring.find(KEY));
  await assert.rejects(keyring.find(makeApiKey()), { code: 'CAPACITY_EXHAUSTED' });
  store.isAway = false;
  await assert.rejects(keyring.find(makeApiKey()), REFUSED);
});

test("the operator's own key needs no store and is made anew when something changes", async () => {
  const store = new FakeStore();
  store.isAway = true;
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
