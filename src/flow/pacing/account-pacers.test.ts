import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { newId } from '../../kernel/ids.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { createAccountPacers } from './account-pacers.ts';

function limitsOf(account: string, max: number): readonly Limit[] {
  return [{ tier: 'provider', subject: account, kind: 'requests', max, windowMs: 60_000 }];
}

/** Each account with its limit per minute. */
function rig(accounts: Readonly<Record<string, number>>) {
  const clock = createTestClock();
  const limits = Object.entries(accounts).map(([account, max]) => ({
    account,
    limits: limitsOf(account, max),
  }));
  const limiter = createMemoryRateLimiter(clock);
  const ask = createAccountPacers({ limiter, clock, newId }, new Map([['gemini', limits]]));
  const take = async (isUsable?: (account: string) => boolean) => {
    const asked = await ask('gemini', () => ({ patienceMs: 0 }), isUsable);
    return `${asked?.account} ${asked?.answer.kind}`;
  };
  return { ask, take };
}

test('free slots of all accounts are taken before a job gets a due time', async () => {
  const { take } = rig({ a: 1, b: 2 });
  const taken = [await take(), await take(), await take()].toSorted();
  assert.deepEqual(taken, ['a allowed', 'b allowed', 'b allowed']);
  assert.match(await take(), /later$/);
});

test('an unusable account is not asked, unless none is usable', async () => {
  const { take } = rig({ a: 2, b: 1 });
  assert.equal(await take((account) => account === 'b'), 'b allowed');
  assert.equal(await take((account) => account === 'b'), 'b later');
  assert.equal(await take(() => false), 'a allowed');
});

test('due times come from the accounts in proportion to their limits', async () => {
  const { take } = rig({ a: 1, b: 3 });
  for (let free = 0; free < 4; free += 1) assert.match(await take(), /allowed$/);
  const due: string[] = [];
  for (let job = 0; job < 8; job += 1) due.push(await take());
  assert.equal(due.filter((each) => each === 'b later').length, 6);
  assert.equal(due.filter((each) => each === 'a later').length, 2);
});

test('a provider without accounts has no answer', async () => {
  const { ask } = rig({});
  assert.equal(await ask('gemini', () => ({})), undefined);
  assert.equal(await ask('unknown', () => ({})), undefined);
});
