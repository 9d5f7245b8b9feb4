// With its defaults the retry budget bounds the load of an outage, in any order of requests and retries.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SpillwayError } from '../errors/spillway-error.ts';
import { RetryBucket } from './retry-bucket.ts';
import { RETRY_BUDGET_DEFAULTS } from './retry-budget.ts';
import {
  afterRetry,
  decideRetry,
  NOTHING_REPEATED,
  RETRY_DEFAULTS,
  type RetryHistory,
} from './retry-policy.ts';

type Planned = { readonly atMs: number; readonly history: RetryHistory };

/** Requests to a provider that fails half of all calls; every failure is retried as the policy allows. */
function callsMade(requests: number, overMs: number, random: () => number): number {
  const bucket = new RetryBucket(RETRY_BUDGET_DEFAULTS, 0);
  const error = new SpillwayError('PROVIDER_UNAVAILABLE', 'failed', {
    params: { reason: 'error' },
  });
  const planned: Planned[] = Array.from({ length: requests }, (_, index) => ({
    atMs: (overMs * index) / requests,
    history: NOTHING_REPEATED,
  }));
  let calls = 0;
  while (planned.length > 0) {
    planned.sort((one, other) => other.atMs - one.atMs);
    const call = planned.pop();
    if (!call) break;
    calls += 1;
    if (call.history === NOTHING_REPEATED) bucket.deposit();
    if (random() >= 0.5) continue;
    const moment = { now: call.atMs, deadlineAt: call.atMs + 600_000, random: random() };
    const decision = decideRetry(RETRY_DEFAULTS, error, call.history, moment);
    if (decision.kind === 'give_up' || !bucket.take(call.atMs)) continue;
    planned.push({
      atMs: call.atMs + decision.waitMs,
      history: afterRetry(call.history, decision),
    });
  }
  return calls;
}

test('at most 1.2 calls per request are made while half of all calls fail', () => {
  const chance = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 2000 }),
      fc.integer({ min: 0, max: 120_000 }),
      chance,
      (requests, overMs, stream) => {
        const next = () => stream.next().value ?? 0;
        assert.ok(callsMade(requests, overMs, next) <= 1.2 * requests);
      },
    ),
    { numRuns: 60 },
  );
});

test('at most 1.2 calls per request are made while every call fails', () => {
  for (const requests of [100, 500, 2000]) {
    const always = callsMade(requests, 30_000, () => 0.25);
    assert.ok(always <= 1.2 * requests, `${always} calls for ${requests} requests`);
  }
});

test('occasional retries are always granted', () => {
  const bucket = new RetryBucket(RETRY_BUDGET_DEFAULTS, 0);
  for (let request = 1; request <= 1000; request += 1) {
    bucket.deposit();
    if (request % 10 === 0) assert.equal(bucket.take(request * 10), true);
  }
});

test('time adds tokens while requests are rare, and none while they are frequent', () => {
  const bucket = new RetryBucket({ perRequest: 0, perSecond: 1, capacity: 2 }, 0);
  assert.deepEqual([bucket.take(0), bucket.take(0), bucket.take(0)], [true, true, false]);
  for (let request = 0; request < 10; request += 1) bucket.deposit();
  assert.equal(bucket.take(10_000), false);
  assert.equal(bucket.take(10_999), false);
  assert.equal(bucket.take(11_000), true);
});

test('time adds tokens again a minute after heavy traffic', () => {
  const bucket = new RetryBucket({ perRequest: 0, perSecond: 1, capacity: 1 }, 0);
  assert.equal(bucket.take(0), true);
  for (let request = 0; request < 10_000; request += 1) bucket.deposit();
  assert.equal(bucket.take(1), false);
  assert.equal(bucket.take(60_000), false);
  assert.equal(bucket.take(61_001), true);
});

test('a clock that goes back changes nothing', () => {
  const bucket = new RetryBucket({ perRequest: 0, perSecond: 1, capacity: 1 }, 10_000);
  assert.equal(bucket.take(10_000), true);
  assert.equal(bucket.take(0), false);
  assert.equal(bucket.take(10_000), false);
  assert.equal(bucket.take(11_000), true);
});
