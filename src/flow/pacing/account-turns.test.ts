import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { askInTurn, createAccountTurns } from './account-turns.ts';

type Account = { readonly name: string; readonly weight: number };

function account(name: string, weight = 1): Account {
  return { name, weight };
}

function lastsOf(accounts: readonly Account[], turns: number): readonly string[] {
  const next = createAccountTurns(accounts, ({ weight }) => weight);
  return Array.from({ length: turns }, () => next().at(-1)?.name ?? '');
}

test('the turns of accounts are in proportion to their limits, spread evenly', () => {
  const accounts = [account('small', 100), account('large', 300)];
  assert.deepEqual(lastsOf(accounts, 8), [
    'large',
    'small',
    'large',
    'large',
    'large',
    'small',
    'large',
    'large',
  ]);
});

test('every order has each account once, and turns never drift from the limits by more than one', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 200 }), (given, turns) => {
      const accounts = given.map((weight, index) => account(String(index), weight));
      const next = createAccountTurns(accounts, ({ weight }) => weight);
      const counts = new Map<string, number>();
      for (let turn = 0; turn < turns; turn += 1) {
        const order = next();
        assert.equal(new Set(order).size, accounts.length);
        const name = order.at(-1)?.name ?? '';
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const total = given.reduce((sum, weight) => sum + weight, 0);
      for (const { name, weight } of accounts) {
        const expected = (turns * weight) / total;
        assert.ok(Math.abs((counts.get(name) ?? 0) - expected) <= accounts.length - 1);
      }
    }),
  );
});

test('an unusable account is not asked, unless none is usable', () => {
  const accounts = [account('a'), account('b')];
  const next = createAccountTurns(accounts, ({ weight }) => weight);
  assert.deepEqual(
    next(({ name }) => name === 'b').map(({ name }) => name),
    ['b'],
  );
  assert.equal(next(() => false).length, 2);
});

test('a free slot of any account is taken, and only the last account is asked to wait', async () => {
  const asked: string[] = [];
  const answers: Readonly<Record<string, string>> = { a: 'later', b: 'allowed', c: 'later' };
  const tryNow = async (name: string) => {
    asked.push(`${name} now`);
    return { kind: answers[name] ?? '', name };
  };
  const ask = async (name: string) => {
    asked.push(`${name} wait`);
    return { kind: 'later', name };
  };
  assert.equal((await askInTurn(['a', 'b', 'c'], tryNow, ask))?.name, 'b');
  assert.equal((await askInTurn(['b', 'a', 'c'], tryNow, ask))?.name, 'b');
  assert.equal((await askInTurn(['a', 'c'], tryNow, ask))?.name, 'c');
  assert.equal(await askInTurn([], tryNow, ask), undefined);
  assert.deepEqual(asked, ['a now', 'b now', 'b now', 'a now', 'c wait']);
});
