import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import type { IdempotencyClaim, IdempotencyStore } from '../../admission/idempotency-store.ts';
import { MAX_STORED_ANSWER_BYTES } from '../../admission/stored-answer.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { silentLog } from '../../kernel/log.ts';
import { AnswerKeeper, claimCall, isFinal, replayAnswer } from './idempotent-call.ts';

const clock = createTestClock();
const now = clock.now();
const HEADERS = ['content-type', 'text/event-stream', 'x-request-id', 'req_1', 'set-cookie', 'no'];

function claimOf(given: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return {
    organizationId: 'acme',
    key: 'key',
    fingerprint: 'one',
    requestId: 'req_1',
    deadlineAt: now + 600_000,
    ...given,
  };
}

async function withStore(use: (store: IdempotencyStore) => Promise<void>): Promise<void> {
  const sqlite = await openSqlite(':memory:');
  await use(createIdempotencyStore(sqlite.db, { retentionMs: 86_400_000 }));
  await sqlite.close();
}

function keeperOf(store: IdempotencyStore, claim = claimOf()): AnswerKeeper {
  return new AnswerKeeper({ store, clock, log: silentLog }, claim);
}

function refusal(code: string, retryable: boolean, retryAfterMs?: number) {
  return (error: unknown) => {
    assert.ok(error instanceof SpillwayError);
    const { code: said, retryable: repeat, retryAfterMs: wait } = error;
    assert.deepEqual([said, repeat, wait], [code, retryable, retryAfterMs]);
    return true;
  };
}

test('a stream in any chunks is stored and replayed whole', () =>
  withStore(async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uuid(),
        fc.array(fc.uint8Array({ maxLength: 9000 })),
        async (key, all) => {
          const claim = claimOf({ key });
          assert.equal(await claimCall(store, claim, now), undefined);
          const keeper = keeperOf(store, claim);
          keeper.begin(200, HEADERS);
          for (const piece of all) keeper.add(Buffer.from(piece));
          await keeper.finish(Buffer.from('end'));
          const kept = await claimCall(store, claimOf({ key, requestId: 'req_2' }), now);
          assert.deepEqual(kept, {
            status: 200,
            headers: { 'content-type': 'text/event-stream' },
            body: Buffer.concat([...all, Buffer.from('end')]),
          });
        },
      ),
      { numRuns: 20 },
    );
  }));

test('a replay is marked and carries the ids of its own request', () => {
  const said: unknown[] = [];
  const reply = {
    begin: (status: number, headers: string[]) => void said.push(status, headers),
    write: () => true,
    end: (chunk?: Buffer | string) => void said.push(String(chunk)),
  };
  const answer = { status: 200, headers: { 'content-type': 'a/b' }, body: Buffer.from('hi') };
  replayAnswer(reply, answer, ['x-request-id', 'req_2']);
  const headers = ['content-type', 'a/b', 'content-length', '2', 'idempotent-replayed', 'true'];
  assert.deepEqual(said, [200, [...headers, 'x-request-id', 'req_2'], 'hi']);
});

test('an oversized or cut answer is unrepeatable', () =>
  withStore(async (store) => {
    await claimCall(store, claimOf(), now);
    const keeper = keeperOf(store);
    keeper.begin(200, HEADERS);
    keeper.add(Buffer.alloc(MAX_STORED_ANSWER_BYTES));
    keeper.add(Buffer.alloc(1));
    await keeper.finish();
    await assert.rejects(claimCall(store, claimOf(), now), refusal('CONFLICT', false));

    await claimCall(store, claimOf({ key: 'cut' }), now);
    await keeperOf(store, claimOf({ key: 'cut' })).cut();
    await assert.rejects(
      claimCall(store, claimOf({ key: 'cut' }), now),
      refusal('CONFLICT', false),
    );
  }));

test('an answer of the maximum size is stored whole', () =>
  withStore(async (store) => {
    await claimCall(store, claimOf(), now);
    const keeper = keeperOf(store);
    keeper.begin(200, HEADERS);
    keeper.add(Buffer.alloc(MAX_STORED_ANSWER_BYTES - 1, 1));
    await keeper.finish(Buffer.alloc(1, 1));
    const kept = await claimCall(store, claimOf(), now);
    assert.equal(kept?.body.length, MAX_STORED_ANSWER_BYTES);
  }));

test('a request with a running key gets a short retry time, at most its deadline', () =>
  withStore(async (store) => {
    await claimCall(store, claimOf(), now);
    const again = claimOf({ requestId: 'req_2' });
    await assert.rejects(claimCall(store, again, now), refusal('CONFLICT', true, 2000));
    const late = now + 599_500;
    await assert.rejects(claimCall(store, again, late), refusal('CONFLICT', true, 500));
    const other = claimOf({ fingerprint: 'two' });
    await assert.rejects(claimCall(store, other, now), refusal('UNPROCESSABLE', false));
  }));

test('a freed key can be claimed, and a second settlement is ignored', () =>
  withStore(async (store) => {
    await claimCall(store, claimOf(), now);
    const keeper = keeperOf(store);
    await keeper.free();
    await keeper.cut();
    assert.equal(await claimCall(store, claimOf(), now), undefined);
  }));

test('an unavailable store refuses new keys, and does not fail a finished answer', async () => {
  const sqlite = await openSqlite(':memory:');
  const store = createIdempotencyStore(sqlite.db, { retentionMs: 1 });
  await sqlite.close();
  await assert.rejects(claimCall(store, claimOf(), now), refusal('CAPACITY_EXHAUSTED', true, 2000));
  await keeperOf(store).finish();
});

test('non-retryable failures are final, except a usage limit', () => {
  assert.equal(isFinal(new SpillwayError('CONTENT_POLICY', '')), true);
  assert.equal(isFinal(new SpillwayError('INTERNAL', '')), true);
  assert.equal(isFinal(new SpillwayError('PROVIDER_UNAVAILABLE', '')), false);
  assert.equal(isFinal(new SpillwayError('AI_LIMIT_REACHED', '')), false);
});
