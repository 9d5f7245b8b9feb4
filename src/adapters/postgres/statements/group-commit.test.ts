import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DatabaseError } from 'pg';
import { createGroupCommit } from './group-commit.ts';

/** A statement that records its batches and completes when the test says so. */
function statement() {
  const batches: (readonly string[])[] = [];
  const running: PromiseWithResolvers<void>[] = [];
  const begun: (() => void)[] = [];
  return {
    batches,
    async runBatch(items: readonly string[]) {
      batches.push(items);
      const completion = Promise.withResolvers<void>();
      running.push(completion);
      begun.shift()?.();
      await completion.promise;
      return items.map((item) => `result of ${item}`);
    },
    next: () => new Promise<void>((resolve) => begun.push(resolve)),
    complete: () => running.shift()?.resolve(),
    fail: (cause: Error) => running.shift()?.reject(cause),
  };
}

function databaseError(code: string): DatabaseError {
  const error = new DatabaseError('no', 1, 'error');
  error.code = code;
  return error;
}

test('items of one turn, and items submitted while a statement is in flight, share a statement', async () => {
  const sql = statement();
  const submit = createGroupCommit(sql);
  let begun = sql.next();
  const first = [submit('a'), submit('b')];
  await begun;
  const second = [submit('c'), submit('d'), submit('e')];
  assert.deepEqual(sql.batches, [['a', 'b']]);
  begun = sql.next();
  sql.complete();
  assert.deepEqual(await Promise.all(first), ['result of a', 'result of b']);
  await begun;
  sql.complete();
  assert.deepEqual(await Promise.all(second), ['result of c', 'result of d', 'result of e']);
  assert.deepEqual(sql.batches, [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

test('items with equal keys run in separate statements, and a large item ends its batch', async () => {
  const batches: (readonly string[])[] = [];
  const submit = createGroupCommit({
    keyOf: (each: string) => each.charAt(0),
    sizeOf: (each) => (each.endsWith('!') ? 2 ** 23 : 1),
    async runBatch(items: readonly string[]) {
      batches.push(items);
      return items;
    },
  });
  await Promise.all(['a1', 'b1', 'a2', 'c!', 'a3', 'd1'].map(submit));
  assert.deepEqual(batches, [['a1', 'b1'], ['a2'], ['c!'], ['a3', 'd1']]);
});

test('a second statement starts while one is in flight when enough items with other keys are pending', async () => {
  const sql = statement();
  const submit = createGroupCommit({ ...sql, keyOf: (each: string) => each, maxInFlight: 2 });
  let begun = sql.next();
  const first = submit('a');
  await begun;
  begun = sql.next();
  const again = submit('a');
  const many = Array.from({ length: 12 }, (_, index) => submit(`b${index}`));
  await begun;
  assert.equal(sql.batches[1]?.length, 12);
  assert.ok(!sql.batches[1]?.includes('a'));
  sql.complete();
  assert.equal(await first, 'result of a');
  begun = sql.next();
  sql.complete();
  await Promise.all(many);
  await begun;
  assert.deepEqual(sql.batches[2], ['a']);
  sql.complete();
  await again;
});

test('an item that PostgreSQL rejects fails alone', async () => {
  const rejection = databaseError('23505');
  const submit = createGroupCommit({
    async runBatch(items: readonly string[]) {
      if (items.includes('wrong')) throw rejection;
      return items;
    },
  });
  const outcomes = await Promise.allSettled(['a', 'wrong', 'b'].map(submit));
  assert.deepEqual(outcomes, [
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: rejection },
    { status: 'fulfilled', value: 'b' },
  ]);
});

test('a batch that finds the store unavailable rejects as a whole, and later items run again', async () => {
  for (const cause of [new Error('the connection is lost'), databaseError('57P01')]) {
    const sql = statement();
    const submit = createGroupCommit(sql);
    const begun = sql.next();
    const submitted = Promise.allSettled([submit('a'), submit('b')]);
    await begun;
    sql.fail(cause);
    for (const outcome of await submitted)
      assert.deepEqual(outcome, { status: 'rejected', reason: cause });
    assert.equal(sql.batches.length, 1);
    const again = sql.next();
    const later = submit('c');
    await again;
    sql.complete();
    assert.equal(await later, 'result of c');
  }
});

test('every item gets its own result, whichever items are rejected', async () => {
  const items = fc.array(fc.record({ id: fc.nat(9), isRejected: fc.boolean() }), {
    maxLength: 200,
  });
  await fc.assert(
    fc.asyncProperty(items, async (all) => {
      const submit = createGroupCommit({
        keyOf: ({ id }: (typeof all)[number]) => String(id),
        async runBatch(group: readonly (typeof all)[number][]) {
          assert.equal(new Set(group.map(({ id }) => id)).size, group.length);
          if (group.some(({ isRejected }) => isRejected)) throw databaseError('22000');
          return group;
        },
      });
      const outcomes = await Promise.allSettled(all.map(submit));
      outcomes.forEach((outcome, place) => {
        const isRejected = all[place]?.isRejected;
        assert.equal(outcome.status, isRejected ? 'rejected' : 'fulfilled');
        if (outcome.status === 'fulfilled') assert.equal(outcome.value, all[place]);
      });
    }),
  );
});
