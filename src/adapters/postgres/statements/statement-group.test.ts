import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DatabaseError } from 'pg';
import { createStatementGroup } from './statement-group.ts';

/** Answers when it is told to, and remembers what it was asked. */
function statement() {
  const asked: (readonly string[])[] = [];
  const running: PromiseWithResolvers<void>[] = [];
  const begun: (() => void)[] = [];
  return {
    asked,
    async runAll(asks: readonly string[]) {
      asked.push(asks);
      const answer = Promise.withResolvers<void>();
      running.push(answer);
      begun.shift()?.();
      await answer.promise;
      return asks.map((ask) => `answer to ${ask}`);
    },
    next: () => new Promise<void>((resolve) => begun.push(resolve)),
    answer: () => running.shift()?.resolve(),
    fail: (cause: Error) => running.shift()?.reject(cause),
  };
}

function complaint(code: string): DatabaseError {
  const error = new DatabaseError('no', 1, 'error');
  error.code = code;
  return error;
}

test('what is asked for in one turn and while a statement is under way shares one', async () => {
  const sql = statement();
  const ask = createStatementGroup(sql);
  let begun = sql.next();
  const first = [ask('a'), ask('b')];
  await begun;
  const second = [ask('c'), ask('d'), ask('e')];
  assert.deepEqual(sql.asked, [['a', 'b']]);
  begun = sql.next();
  sql.answer();
  assert.deepEqual(await Promise.all(first), ['answer to a', 'answer to b']);
  await begun;
  sql.answer();
  assert.deepEqual(await Promise.all(second), ['answer to c', 'answer to d', 'answer to e']);
  assert.deepEqual(sql.asked, [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

test('two that are in each other’s way are in two groups, and a large one does not keep others', async () => {
  const asked: (readonly string[])[] = [];
  const ask = createStatementGroup({
    keyOf: (each: string) => each.charAt(0),
    sizeOf: (each) => (each.endsWith('!') ? 2 ** 23 : 1),
    async runAll(asks: readonly string[]) {
      asked.push(asks);
      return asks;
    },
  });
  await Promise.all(['a1', 'b1', 'a2', 'c!', 'a3', 'd1'].map(ask));
  assert.deepEqual(asked, [['a1', 'b1'], ['a2'], ['c!'], ['a3', 'd1']]);
});

test('where two may be under way, many who wait do not wait for the first, unless it is in their way', async () => {
  const sql = statement();
  const ask = createStatementGroup({ ...sql, keyOf: (each: string) => each, mostUnderWay: 2 });
  let begun = sql.next();
  const first = ask('a');
  await begun;
  begun = sql.next();
  const again = ask('a');
  const many = Array.from({ length: 12 }, (_, place) => ask(`b${place}`));
  await begun;
  assert.equal(sql.asked[1]?.length, 12);
  assert.ok(!sql.asked[1]?.includes('a'));
  sql.answer();
  assert.equal(await first, 'answer to a');
  begun = sql.next();
  sql.answer();
  await Promise.all(many);
  await begun;
  assert.deepEqual(sql.asked[2], ['a']);
  sql.answer();
  await again;
});

test('one that the server refuses costs only itself', async () => {
  const refused = complaint('23505');
  const ask = createStatementGroup({
    async runAll(asks: readonly string[]) {
      if (asks.includes('wrong')) throw refused;
      return asks;
    },
  });
  const outcomes = await Promise.allSettled(['a', 'wrong', 'b'].map(ask));
  assert.deepEqual(outcomes, [
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: refused },
    { status: 'fulfilled', value: 'b' },
  ]);
});

test('a store that is away is asked once for all, and then for those who come after', async () => {
  for (const cause of [new Error('the connection is lost'), complaint('57P01')]) {
    const sql = statement();
    const ask = createStatementGroup(sql);
    const begun = sql.next();
    const asking = Promise.allSettled([ask('a'), ask('b')]);
    await begun;
    sql.fail(cause);
    for (const outcome of await asking)
      assert.deepEqual(outcome, { status: 'rejected', reason: cause });
    assert.equal(sql.asked.length, 1);
    const again = sql.next();
    const later = ask('c');
    await again;
    sql.answer();
    assert.equal(await later, 'answer to c');
  }
});

test('everybody is answered, with what is his, whoever is refused', async () => {
  const asks = fc.array(fc.record({ id: fc.nat(9), isRefused: fc.boolean() }), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(asks, async (all) => {
      const ask = createStatementGroup({
        keyOf: ({ id }: (typeof all)[number]) => String(id),
        async runAll(group: readonly (typeof all)[number][]) {
          assert.equal(new Set(group.map(({ id }) => id)).size, group.length);
          if (group.some(({ isRefused }) => isRefused)) throw complaint('22000');
          return group;
        },
      });
      const outcomes = await Promise.allSettled(all.map(ask));
      outcomes.forEach((outcome, place) => {
        const isRefused = all[place]?.isRefused;
        assert.equal(outcome.status, isRefused ? 'rejected' : 'fulfilled');
        if (outcome.status === 'fulfilled') assert.equal(outcome.value, all[place]);
      });
    }),
  );
});
