// What every IdempotencyStore promises. The test of each adapter calls this with its own store; it may open several
// connections to the same one, as the servers of a cluster do.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../src/admission/idempotency-store.ts';

export type OpenedIdempotency = {
  /** All on one store; at least one. */
  readonly stores: readonly [IdempotencyStore, ...IdempotencyStore[]];
  close(): Promise<void>;
};

/** The adapter is opened to keep answers for this long. */
export const CONTRACT_KEPT_FOR_MS = 10_000;
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

    /** The same request once more, as a caller repeats it. */
    function again(claim: IdempotencyClaim, given: Partial<IdempotencyClaim> = {}) {
      return { ...claim, requestId: 'req_2', ...given };
    }

    it('gives one of many simultaneous requests the key and tells the others to wait', async () => {
      const claim = claimOf();
      const claims = Array.from({ length: CLAIMS }, (_, index) =>
        storeOf(opened, index).claim({ ...claim, requestId: `req_${index}` }, NOW),
      );
      const kinds = (await Promise.all(claims)).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'claimed').length, 1);
      assert.equal(kinds.filter((kind) => kind === 'running').length, CLAIMS - 1);
    });

    it('says until when the one that runs may take', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const outcome: ClaimOutcome = { kind: 'running', until: NOW + 1000 };
      assert.deepEqual(await store.claim(again(claim), NOW + 999), outcome);
    });

    it('gives the answer again, byte for byte', async () => {
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

    it('keeps an answer of a mebibyte', async () => {
      const claim = claimOf();
      const answer = answerOf(Buffer.alloc(2 ** 20, 0xff));
      await store.claim(claim, NOW);
      await store.finish(claim, answer, NOW);
      assert.deepEqual(await store.claim(again(claim), NOW), { kind: 'finished', answer });
    });

    it('does not repeat what could not be kept', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, undefined, NOW);
      const later = NOW + CONTRACT_KEPT_FOR_MS - 1;
      assert.deepEqual(await store.claim(again(claim), later), { kind: 'unrepeatable' });
    });

    it('tells another payload apart, whether the first is running or finished', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const other = again(claim, { fingerprint: 'two' });
      assert.deepEqual(await store.claim(other, NOW), { kind: 'other_payload' });
      await store.finish(claim, answerOf(), NOW);
      assert.deepEqual(await store.claim(other, NOW), { kind: 'other_payload' });
    });

    it("knows nothing of another organisation's key of the same name", async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, answerOf(), NOW);
      const theirs = again(claim, { organizationId: 'other', fingerprint: 'two' });
      assert.deepEqual(await store.claim(theirs, NOW), { kind: 'claimed' });
    });

    it('frees the key for the next request, whatever its payload', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.free(claim);
      const next = again(claim, { fingerprint: 'two' });
      assert.deepEqual(await store.claim(next, NOW), { kind: 'claimed' });
    });

    it('lets a claim go at its deadline, and its late owner changes nothing any more', async () => {
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

    it('neither frees nor overwrites what is finished', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      const answer = answerOf(Buffer.from('first'));
      await store.finish(claim, answer, NOW);
      await store.free(claim);
      await store.finish(claim, answerOf(Buffer.from('second')), NOW);
      assert.deepEqual(await store.claim(again(claim), NOW), { kind: 'finished', answer });
    });

    it('keeps an answer for its time and not longer, even where nobody sweeps', async () => {
      const claim = claimOf();
      await store.claim(claim, NOW);
      await store.finish(claim, answerOf(), NOW);
      const end = NOW + CONTRACT_KEPT_FOR_MS;
      assert.equal((await store.claim(again(claim), end - 1)).kind, 'finished');
      const next = again(claim, { deadlineAt: end + 1000 });
      assert.deepEqual(await store.claim(next, end), { kind: 'claimed' });
    });

    it('forgets what is old, however much, and lets alone what is running', async () => {
      await store.deleteExpired(NOW + 100 * CONTRACT_KEPT_FOR_MS);
      const old = Array.from({ length: 450 }, () => claimOf());
      for (const claim of old) await store.claim(claim, NOW);
      for (const claim of old.slice(1)) await store.finish(claim, answerOf(), NOW);
      const running = claimOf({ deadlineAt: NOW + 2 * CONTRACT_KEPT_FOR_MS });
      await store.claim(running, NOW);
      assert.equal(await store.deleteExpired(NOW + CONTRACT_KEPT_FOR_MS - 1), 0);
      assert.equal(await store.deleteExpired(NOW + CONTRACT_KEPT_FOR_MS), old.length);
      const outcome = await store.claim(again(running), NOW + CONTRACT_KEPT_FOR_MS);
      assert.equal(outcome.kind, 'running');
    });
  });
}

function storeOf({ stores }: OpenedIdempotency, index: number): IdempotencyStore {
  return stores[index % stores.length] ?? stores[0];
}

function answerOf(
  body = Buffer.from('{"ok":true}'),
  headers: KeptAnswer['headers'] = { 'content-type': 'application/json' },
): KeptAnswer {
  return { status: 200, headers, body };
}
