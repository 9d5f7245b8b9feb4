// The counters against a model that keeps every admission forever and counts them anew for each ask.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { costOf, LimitCounters } from './limit-counters.ts';
import type { Limit, LimitKind, PermitAsk } from './rate-limiter.ts';

const MINUTE_MS = 60_000;
const FIRST = { hasWaited: false, behindMs: 0, patienceMs: 0 };
const BASE = { tier: 'organization', subject: 'acme', windowMs: MINUTE_MS } as const;
const requests = (max: number, fields: Partial<Limit> = {}): Limit => ({
  ...BASE,
  kind: 'requests',
  max,
  ...fields,
});

let asks = 0;
function askFor(limits: Limit[], fields: Partial<PermitAsk> = {}) {
  asks += 1;
  return { id: `ask-${asks}`, limits, tokens: 1, expiresMs: 10 * MINUTE_MS, ...fields };
}
const at = (now: number) => ({ monotonic: now, wall: now });

type Admission = {
  readonly ask: PermitAsk;
  readonly takenAt: number;
  state: 'open' | 'settled' | 'given back';
  usedTokens: number;
};

class Model {
  readonly admissions: Admission[] = [];

  used(limit: Limit, now: number): number {
    let used = 0;
    for (const admission of this.admissions) {
      const isOfLimit = admission.ask.limits.some((each) => sameCount(each, limit));
      if (isOfLimit && admission.state !== 'given back') used += counted(limit, admission, now);
    }
    return used;
  }

  fits({ limits, tokens }: PermitAsk, now: number): boolean {
    return limits.every((each) => this.used(each, now) + costOf(each.kind, tokens) <= each.max);
  }
}

function sameCount(one: Limit, other: Limit): boolean {
  return one.tier === other.tier && one.subject === other.subject && one.kind === other.kind;
}

function counted({ kind, windowMs }: Limit, admission: Admission, now: number): number {
  const { ask, takenAt, state, usedTokens } = admission;
  const tokens = state === 'settled' ? usedTokens : ask.tokens;
  const isReserved = state === 'open' && now < takenAt + ask.expiresMs;
  if (kind === 'concurrent') return isReserved ? 1 : 0;
  if (kind === 'tokens_per_day' && state === 'open') return isReserved ? tokens : 0;
  if (kind !== 'tokens_per_day') return now < takenAt + windowMs ? costOf(kind, tokens) : 0;
  const bucketMs = Math.ceil(windowMs / 288);
  const bucketEnd = (Math.floor(takenAt / bucketMs) + 1) * bucketMs;
  return now < bucketEnd + windowMs ? tokens : 0;
}

const kind = fc.constantFrom<LimitKind>('requests', 'tokens', 'tokens_per_day', 'concurrent');
const someLimit = fc.record({
  tier: fc.constantFrom('organization', 'provider'),
  subject: fc.constantFrom('acme', 'umbrella'),
  kind,
  max: fc.integer({ min: 0, max: 12 }),
  windowMs: fc.constantFrom(1000, 2880, MINUTE_MS),
});
const someLimits = fc.uniqueArray(someLimit, {
  minLength: 1,
  maxLength: 4,
  selector: ({ tier, subject, kind: own }) => `${tier} ${subject} ${own}`,
});
const step = fc.record({
  doing: fc.constantFrom('take', 'take', 'take', 'advance', 'settle', 'give back', 'change'),
  pick: fc.nat({ max: 100 }),
  tokens: fc.integer({ min: 0, max: 6 }),
  byMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 70_000 })),
  expiresMs: fc.constantFrom(500, 30_000),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('it decides as its model does, whatever is taken, settled, given back and changed', () => {
  const property = fc.property(someLimits, fc.array(step, { maxLength: 80, size: 'max' }), agree);
  fc.assert(property, { numRuns: 1500 });
});

function agree(first: readonly Limit[], steps: readonly Step[]): void {
  const counters = new LimitCounters();
  const model = new Model();
  let limits = [...first];
  let now = 1;
  for (const each of steps) {
    const open = model.admissions.filter(({ state }) => state === 'open');
    const chosen = open[each.pick % Math.max(1, open.length)];
    if (each.doing === 'advance') now += each.byMs;
    else if (each.doing === 'change') limits = changed(limits, each);
    else if (each.doing === 'take') take(counters, model, someOf(limits, each.pick), each, now);
    else if (chosen && each.doing === 'settle') {
      counters.settle(chosen.ask, each.tokens);
      Object.assign(chosen, { state: 'settled', usedTokens: each.tokens });
    } else if (chosen) {
      counters.giveBack(chosen.ask);
      chosen.state = 'given back';
    }
    for (const { limit, remaining } of counters.look(limits, at(now)))
      assert.equal(remaining, Math.max(0, limit.max - model.used(limit, now)));
  }
}

/** The length of a window changes only with a restart. */
function changed(limits: readonly Limit[], { pick, tokens }: Step): Limit[] {
  return limits.map((limit, index) =>
    index === pick % limits.length ? { ...limit, max: tokens } : limit,
  );
}

function someOf(limits: readonly Limit[], pick: number): Limit[] {
  const some = limits.filter((_, index) => (pick >> index) % 2 === 0);
  return some.length > 0 ? some : [...limits];
}

function take(
  counters: LimitCounters,
  model: Model,
  limits: Limit[],
  { tokens, expiresMs }: Step,
  now: number,
): void {
  const ask = askFor(limits, { tokens, expiresMs });
  const decision = counters.take(ask, at(now));
  assert.equal(decision.isAllowed, model.fits(ask, now));
  if (decision.isAllowed)
    return void model.admissions.push({ ask, takenAt: now, state: 'open', usedTokens: 0 });
  const { retryAfterMs, binding } = decision;
  const canEverFit = limits.every((limit) => costOf(limit.kind, tokens) <= limit.max);
  assert.equal(retryAfterMs !== undefined, canEverFit);
  if (retryAfterMs === undefined || binding?.limit.kind === 'concurrent') return;
  // A slot opens when a call ends, so its time is not exact.
  const foreseen = { ...ask, limits: limits.filter((limit) => limit.kind !== 'concurrent') };
  assert.ok(model.fits(foreseen, now + retryAfterMs), 'it fits after the stated wait');
  assert.ok(!model.fits(foreseen, now + retryAfterMs - 1), 'and not a millisecond before');
}

test('no span as long as the window holds more than the limit, and an idle limit admits all at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.double({ min: 0, max: 30_000, noNaN: true }), {
        minLength: 1,
        maxLength: 300,
        size: 'max',
      }),
      (max, pauses) => {
        const counters = new LimitCounters();
        const admitted: number[] = [];
        let now = 0.5;
        for (const pause of [...Array.from({ length: max }, () => 0), ...pauses]) {
          now += pause;
          if (counters.take(askFor([requests(max)]), at(now)).isAllowed) admitted.push(now);
        }
        assert.ok(admitted.slice(0, max).every((moment) => moment === 0.5));
        for (const [index, moment] of admitted.entries()) {
          const next = admitted[index + max];
          assert.ok(next === undefined || next - moment >= MINUTE_MS);
        }
      },
    ),
  );
});

test('a refusal by one limit takes nothing from another', () => {
  const counters = new LimitCounters();
  const wide = requests(10);
  const narrow = requests(1, { tier: 'provider', subject: 'openai' });
  assert.ok(counters.take(askFor([wide, narrow]), at(1)).isAllowed);
  for (let round = 0; round < 20; round += 1) {
    const decision = counters.take(askFor([wide, narrow]), at(2));
    assert.ok(!decision.isAllowed);
    assert.equal(decision.binding?.limit, narrow);
  }
  assert.equal(counters.look([wide], at(2))[0]?.remaining, 9);
});

test('due times of refused jobs are a little more than one interval apart, from when a slot opens', () => {
  const counters = new LimitCounters();
  const limit = requests(4);
  for (let taken = 0; taken < 4; taken += 1) counters.take(askFor([limit]), at(1000));
  const dueTimes = [1, 2, 3, 4, 5].map(() => {
    const decision = counters.take(askFor([limit], { queueing: FIRST }), at(2000));
    return decision.isAllowed ? undefined : decision.dueInMs;
  });
  assert.deepEqual(dueTimes, [59_000, 74_013, 89_025, 104_038, 119_050]);
});

test('an ask above the whole limit gets no due time', () => {
  const counters = new LimitCounters();
  const limit = requests(5, { kind: 'tokens' });
  const decision = counters.take(askFor([limit], { tokens: 6, queueing: FIRST }), at(1));
  assert.ok(!decision.isAllowed);
  assert.equal(decision.retryAfterMs, undefined);
  assert.equal(decision.dueInMs, undefined);
});

test('timestamps in answers are wall-clock time, while windows are kept in monotonic time', () => {
  const counters = new LimitCounters();
  const [taken] = counters.take(askFor([requests(2)]), {
    monotonic: 7.4,
    wall: 1_000_000,
  }).standings;
  assert.equal(taken?.resetAt, 1_000_000 + MINUTE_MS + 1);
  const [idle] = counters.look([requests(2, { subject: 'umbrella' })], {
    monotonic: 8,
    wall: 2_000_000,
  });
  assert.equal(idle?.resetAt, 2_000_000);
});

test('a permit ends once, whichever copy of the ask is settled or given back', () => {
  const counters = new LimitCounters();
  const limit = requests(10, { kind: 'tokens' });
  const ask = askFor([limit], { tokens: 6 });
  assert.ok(counters.take(ask, at(1)).isAllowed);
  const copy = { ...ask, account: 'second' };
  assert.equal(counters.settle(copy, 2), true);
  for (const again of [ask, copy, { ...ask }]) {
    assert.equal(counters.settle(again, 9), false);
    assert.equal(counters.giveBack(again), false);
  }
  assert.equal(counters.look([limit], at(2))[0]?.remaining, 8);
});

test('counters ignore a permit that other counters hold', () => {
  const [one, other] = [new LimitCounters(), new LimitCounters()];
  const limits = [requests(10, { kind: 'tokens' }), requests(10, { kind: 'concurrent' })];
  const ask = askFor(limits, { tokens: 6 });
  assert.ok(one.take(ask, at(1)).isAllowed);
  assert.equal(other.settle(ask, 9), false);
  other.record(ask, 1, limits.slice(0, 1));
  assert.equal(one.giveBack(ask), false);
  assert.equal(other.settle(ask, 2), true);
  assert.deepEqual(
    other.look(limits, at(2)).map(({ remaining }) => remaining),
    [8, 10],
  );
});

test('windows of idle subjects are evicted', () => {
  const counters = new LimitCounters();
  for (let index = 0; index < 5000; index += 1)
    counters.take(askFor([requests(5, { subject: `org-${index}` })]), at(index));
  assert.equal(counters.size, 5000);
  const later = 60 * MINUTE_MS;
  for (let index = 0; index < 60_000; index += 1)
    counters.take(askFor([requests(1e9, { subject: 'busy' })]), at(later + index));
  assert.equal(counters.size, 1);
});
