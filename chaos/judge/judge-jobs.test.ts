// Each kind of loss and duplication must show in the judge's counters.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasPassed } from '../chaos-row.ts';
import { doseOf } from '../faults/dose.ts';
import type { Call } from '../installation/provider.ts';
import type { StoredJob, StoredMoney } from '../installation/store-view.ts';
import { newJob } from '../load.ts';
import { type Evidence, judgeJobs } from './judge-jobs.ts';

const jobs = [newJob(0, false), newJob(1, true)];
const money: StoredMoney = {
  records: 2,
  settled: 2,
  costNanos: 10,
  postedNanos: 10,
  reservedNanos: 0,
  spokenForNanos: 0,
  rolledUp: 2,
};

function stored(index: number, change: Partial<StoredJob> = {}): StoredJob {
  return {
    id: `job_${index}`,
    publicId: `chaos-${index}`,
    state: 'succeeded',
    isFromQueue: index === 1,
    errorCode: null,
    losses: 0,
    leaseOwner: null,
    hasResult: true,
    isDeadLetter: false,
    settled: 1,
    records: 1,
    ...change,
  };
}

function call(index: number, change: Partial<Call> = {}): Call {
  return {
    sequence: index + 1,
    startedAt: index,
    abortedAt: null,
    provider: 'anthropic',
    model: 'm',
    status: 200,
    outcome: 'ok',
    bodyDigest: jobs[index]?.digest ?? null,
    inputTokens: 1,
    outputTokens: 1,
    ...change,
  };
}

function judgeWith(change: Partial<Evidence>) {
  return judgeJobs({
    load: { jobs, acknowledged: new Set(['chaos-0', 'chaos-1']) },
    stored: [stored(0), stored(1)],
    money,
    calls: [call(0), call(1)],
    results: new Map([['chaos-1', ['{}']]]),
    areResultsPublished: true,
    mayBeDeadLetters: false,
    dose: doseOf({ isShort: true, scale: 1 }),
    ...change,
  });
}

test('a load without losses and duplicates passes', () => {
  const finding = judgeWith({});
  assert.equal(hasPassed(finding), true);
  assert.deepEqual([finding.attempted, finding.acknowledged], [2, 2]);
});

test('an acknowledged job that is missing, unfinished or without its result is lost', () => {
  assert.equal(judgeWith({ stored: [stored(1)] }).lost, 2);
  assert.equal(judgeWith({ stored: [stored(0, { state: 'queued' }), stored(1)] }).lost, 1);
  assert.equal(judgeWith({ stored: [stored(0, { hasResult: false }), stored(1)] }).lost, 1);
});

test('a job that failed is lost, unless it may be a dead letter and is one', () => {
  const state = { state: 'failed', hasResult: false, isDeadLetter: true, settled: 1 };
  const withLetter = [stored(0, state), stored(1)];
  assert.equal(judgeWith({ stored: withLetter }).lost, 1);
  assert.equal(judgeWith({ stored: withLetter, mayBeDeadLetters: true }).lost, 0);
});

test('an unpublished result is lost; identical repetitions count once, different ones count as a duplicate', () => {
  assert.equal(judgeWith({ results: new Map() }).lost, 1);
  assert.equal(judgeWith({ results: new Map([['chaos-1', ['{}', '{}']]]) }).duplicatedEffects, 0);
  assert.equal(judgeWith({ results: new Map([['chaos-1', ['{}', '{1}']]]) }).duplicatedEffects, 1);
});

test('an answered call without a settlement is lost; one given up counts as settled', () => {
  const calls = [call(0), call(0, { sequence: 3 }), call(1)];
  assert.equal(judgeWith({ calls }).lost, 1);
  assert.equal(judgeWith({ calls }).duplicatedCalls, 1);
  assert.equal(judgeWith({ calls, stored: [stored(0, { records: 2 }), stored(1)] }).lost, 0);
});

test('a settlement without a call, and sums that disagree, are doubled effects', () => {
  assert.equal(judgeWith({ stored: [stored(0, { settled: 2 }), stored(1)] }).duplicatedEffects, 1);
  assert.equal(judgeWith({ money: { ...money, postedNanos: 20 } }).duplicatedEffects, 1);
  assert.equal(judgeWith({ money: { ...money, rolledUp: 3 } }).duplicatedEffects, 1);
  assert.equal(judgeWith({ money: { ...money, reservedNanos: 5 } }).duplicatedEffects, 1);
});
