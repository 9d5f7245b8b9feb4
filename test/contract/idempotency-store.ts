// The contract of the port IdempotencyStore. The test of each adapter calls it with its own store, which may have several
// connections, like the servers of a cluster.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
} from '../../src/admission/idempotency-store.ts';
import type { StoredAnswer } from '../../src/admission/stored-answer.ts';

export type OpenedIdempotency = {
  /** Connections to one store; at least one. */
  readonly stores: readonly [IdempotencyStore, ...IdempotencyStore[]];
  close(): Promise<void>;
};

/** The retention with which the adapter is opened. */
export const CONTRACT_RETENTION_MS = 10_000;
const NOW = 1_900_000_000_000;
const CLAIMS = 50;

export function idempotencyStoreContract(
  adapter: string,
  open: () => Promise<OpenedIdempotency>,
): void {
  describe(`the idempotency store on ${adapter}`, () => {
    let opened: OpenedIdempotency;
    let store: IdempotencyStore;
    let keys = 0;
    before(async () => {
      opened = await open();
      [store] = opened.stores;
    });
    after(() => opened.close());

    function claimOf(given: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
      keys += 1;
      return {
        organizationId: 'acme',
        key: `key-${keys}`,
        fingerprint: 'one',
        requestId: 'req_1',
        deadlineAt: NOW + 1000,
        ...given,
      };
    }

    /** The caller's retry of the same request. */
    function again(claim: IdempotencyClaim, given: Partial<IdempotencyClaim> = {}) {
      return { ...claim, requestId: 'req_2', ...given };
    }

    it('of many simultaneous claims exactly one gets the key, and the others find it running', async () => {
      const claim = claimOf();
      const claims = Array.from({ length: CLAIMS }, (_, index) =>
        storeOf(opened, index).claim({ ...claim, requestId: `req_${index}` }, NOW),
      );
      const kinds = (await Promise.all(claims)).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'claimed').length, 1);
      assert.equal(kinds.filter((kind) => kind === 'running').length, CLAIMS - 1);
    });

    it('a running claim reports its deadline', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const outcome: ClaimOutcome = { kind: 'running', until: NOW + 1000 };
      assert.deepEqual(await store.claim(again(claim), NOW + 999), outcome);
    });

    it('a finished claim returns the same answer, byte for byte', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ maxLength: 300 }),
          fc.dictionary(fc.string({ maxLength: 9 }), fc.string({ unit: 'grapheme' })),
          async (bytes, headers) => {
            const claim = claimOf();
            const answer = answerOf(Buffer.from(bytes), { ...headers });
            await store.claim(claim, NOW);
            await store.finish(claim, answer, NOW);
            assert.deepEqual(await store.claim(again(claim), NOW), { kind: 'finished', answer });
          },
        ),
        { numRuns: 30 },
      );
    });

    it('an answer of one mebibyte is stored', async () => {
      const claim = claimOf();
      const answer = answerOf(Buffer.alloc(2 ** 20, 0xff));
      await store.claim(claim, NOW);
      await store.finish(claim, answer, NOW);
      assert.deepEqual(await store.claim(again(claim), NOW), { kind: 'finished', answer });
    });

    it('a claim finished without an answer is unrepeatable', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, undefined, NOW);
      const later = NOW + CONTRACT_RETENTION_MS - 1;
      assert.deepEqual(await store.claim(again(claim), later), { kind: 'unrepeatable' });
    });

    it('a claim with another fingerprint gets other_payload, whether the first is running or finished', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const other = again(claim, { fingerprint: 'two' });
      assert.deepEqual(await store.claim(other, NOW), { kind: 'other_payload' });
      await store.finish(claim, answerOf(), NOW);
      assert.deepEqual(await store.claim(other, NOW), { kind: 'other_payload' });
    });

    it('equal keys of two organisations are independent', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, answerOf(), NOW);
      const theirs = again(claim, { organizationId: 'other', fingerprint: 'two' });
      assert.deepEqual(await store.claim(theirs, NOW), { kind: 'claimed' });
    });

    it('a freed key can be claimed with any fingerprint', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.free(claim);
      const next = again(claim, { fingerprint: 'two' });
      assert.deepEqual(await store.claim(next, NOW), { kind: 'claimed' });
    });

    it('a claim past its deadline can be claimed again, and its former owner changes nothing', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const next = again(claim, { deadlineAt: NOW + 9000 });
      assert.deepEqual(await store.claim(next, NOW + 1000), { kind: 'claimed' });
      await store.finish(claim, answerOf(), NOW + 1001);
      await store.free(claim);
      const third = again(claim, { requestId: 'req_3' });
      const outcome: ClaimOutcome = { kind: 'running', until: NOW + 9000 };
      assert.deepEqual(await store.claim(third, NOW + 1002), outcome);
    });

    it('a finished answer is neither freed nor overwritten', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const answer = answerOf(Buffer.from('first'));
      await store.finish(claim, answer, NOW);
      await store.free(claim);
      await store.finish(claim, answerOf(Buffer.from('second')), NOW);
      assert.deepEqual(await store.claim(again(claim), NOW), { kind: 'finished', answer });
    });

    it('an answer is returned until it expires and not after, even without pruning', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, answerOf(), NOW);
      const end = NOW + CONTRACT_RETENTION_MS;
      assert.equal((await store.claim(again(claim), end - 1)).kind, 'finished');
      const next = again(claim, { deadlineAt: end + 1000 });
      assert.deepEqual(await store.claim(next, end), { kind: 'claimed' });
    });

    it('pruning deletes every expired row and no running one', async () => {
      await store.deleteExpired(NOW + 100 * CONTRACT_RETENTION_MS);
      const old = Array.from({ length: 450 }, () => claimOf());
      for (const claim of old) await store.claim(claim, NOW);
      for (const claim of old.slice(1)) await store.finish(claim, answerOf(), NOW);
      const running = claimOf({ deadlineAt: NOW + 2 * CONTRACT_RETENTION_MS });
      await store.claim(running, NOW);
      assert.equal(await store.deleteExpired(NOW + CONTRACT_RETENTION_MS - 1), 0);
      assert.equal(await store.deleteExpired(NOW + CONTRACT_RETENTION_MS), old.length);
      const outcome = await store.claim(again(running), NOW + CONTRACT_RETENTION_MS);
      assert.equal(outcome.kind, 'running');
    });
  });
}

function storeOf({ stores }: OpenedIdempotency, index: number): IdempotencyStore {
  return stores[index % stores.length] ?? stores[0];
}

function answerOf(
  body = Buffer.from('{"ok":true}'),
  headers: StoredAnswer['headers'] = { 'content-type': 'application/json' },
): StoredAnswer {
  return { status: 200, headers, body };
}
