// The contract of every RateLimiter; the test of each adapter runs it. Time is the clock of the store that counts, which may
// be another process: windows that have to pass in a test are short.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type {
  Limit,
  LimitKind,
  LimitStanding,
  PermitAsk,
  PermitDecision,
  RateLimiter,
} from '../../src/resilience/rate-limiter.ts';

export type OpenedRateLimiter = {
  readonly limiter: RateLimiter;
  /** Advances the clock that counts. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
};

const MINUTE_MS = 60_000;
const SHORT_MS = 300;
/** An admission within a millisecond counts from its end. */
const PART_MS = 1;

export function rateLimiterContract(adapter: string, open: () => Promise<OpenedRateLimiter>): void {
  describe(`rate limiter on ${adapter}`, () => {
    let opened: OpenedRateLimiter;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    /** Every limit has its own subject, also across suites that share a Redis. */
    const run = randomBytes(4).toString('hex');
    let subjects = 0;
    function limitOf(kind: LimitKind, max: number, fields: Partial<Limit> = {}): Limit {
      subjects += 1;
      const subject = `s-${run}-${subjects}`;
      return { tier: 'organization', subject, kind, max, windowMs: MINUTE_MS, ...fields };
    }
    function ask(limits: readonly Limit[], fields: Partial<PermitAsk> = {}): PermitAsk {
      const id = randomBytes(8).toString('hex');
      return { id, limits, tokens: 1, expiresMs: MINUTE_MS, ...fields };
    }
    function decide(permitAsk: PermitAsk): Promise<PermitDecision> {
      return new Promise((resolve) => opened.limiter.take(permitAsk, resolve));
    }
    async function take(limits: readonly Limit[], fields: Partial<PermitAsk> = {}) {
      const permitAsk = ask(limits, fields);
      const decision = await decide(permitAsk);
      assert.ok(decision.isAllowed, 'the ask is admitted');
      return permitAsk;
    }
    async function refused(limits: readonly Limit[], fields: Partial<PermitAsk> = {}) {
      const decision = await decide(ask(limits, fields));
      assert.ok(!decision.isAllowed, 'the ask is refused');
      return decision;
    }
    async function remaining(limit: Limit): Promise<number | undefined> {
      return (await standing(limit)).remaining;
    }
    async function standing(limit: Limit): Promise<LimitStanding> {
      const [found] = await opened.limiter.look([limit]);
      assert.ok(found);
      return found;
    }

    it('admits all of an idle limit at once, then refuses with the time when the next ask fits', async () => {
      const limit = limitOf('requests', 5);
      const decisions = await Promise.all(Array.from({ length: 8 }, () => decide(ask([limit]))));
      assert.equal(decisions.filter(({ isAllowed }) => isAllowed).length, 5);
      assert.deepEqual(
        decisions.map(({ standings: [own] }) => own?.remaining),
        [4, 3, 2, 1, 0, 0, 0, 0],
      );
      const refusal = await refused([limit]);
      const { retryAfterMs = 0, binding } = refusal;
      assert.equal(binding?.limit, limit);
      assert.ok(retryAfterMs > MINUTE_MS - 20_000 && retryAfterMs <= MINUTE_MS + PART_MS);
      assert.ok(Math.abs((binding?.resetAt ?? 0) - (await standing(limit)).resetAt) <= 1);
    });

    it('admits again when the window of the first admission has passed', async () => {
      const limit = limitOf('requests', 2, { windowMs: SHORT_MS });
      await take([limit]);
      await take([limit]);
      const { retryAfterMs = 0 } = await refused([limit]);
      assert.ok(retryAfterMs > 0 && retryAfterMs <= SHORT_MS + PART_MS);
      await opened.pass(retryAfterMs);
      await take([limit]);
    });

    it('takes from all limits or from none', async () => {
      const wide = limitOf('requests', 10);
      const narrow = limitOf('requests', 1, { tier: 'provider' });
      await take([wide, narrow]);
      const { binding, standings } = await refused([wide, narrow]);
      assert.equal(binding?.limit, narrow);
      assert.deepEqual(
        standings.map((each) => each.remaining),
        [9, 0],
      );
      assert.equal(await remaining(wide), 9);
    });

    it('names the limit with the longest wait', async () => {
      const short = limitOf('requests', 1, { windowMs: 20_000 });
      const long = limitOf('requests', 1, { tier: 'key' });
      await take([short, long]);
      for (const limits of [
        [short, long],
        [long, short],
      ]) {
        const { binding, retryAfterMs = 0 } = await refused(limits);
        assert.equal(binding?.limit, long);
        assert.ok(retryAfterMs > 20_000);
      }
    });

    it('keeps tiers, kinds and subjects apart', async () => {
      const one = limitOf('requests', 1);
      const others = [
        { ...one, tier: 'provider' },
        { ...one, tier: 'key' },
        { ...one, tier: 'dispatcher' },
        { ...one, subject: `${one.subject}:other` },
        { ...one, kind: 'tokens' },
        { ...one, kind: 'tokens_per_day' },
        { ...one, kind: 'concurrent' },
      ] as const;
      await take([one]);
      for (const other of others) await take([other]);
      for (const each of [one, ...others]) await refused([each]);
    });

    it('undoes an admission that is given back', async () => {
      const limits = [
        limitOf('requests', 3),
        limitOf('tokens', 100),
        limitOf('tokens_per_day', 100),
        limitOf('concurrent', 2),
      ];
      await take(limits, { tokens: 10 });
      const permit = await take(limits, { tokens: 20 });
      opened.limiter.giveBack(permit);
      opened.limiter.giveBack(permit);
      assert.deepEqual(await Promise.all(limits.map(remaining)), [2, 90, 90, 1]);
    });

    it('counts the tokens used instead of the reservation after a settlement', async () => {
      const limits = [limitOf('tokens', 100), limitOf('tokens_per_day', 1000)];
      const permit = await take(limits, { tokens: 80 });
      await refused(limits, { tokens: 30 });
      opened.limiter.settle(permit, 15);
      opened.limiter.settle(permit, 99);
      assert.deepEqual(await Promise.all(limits.map(remaining)), [85, 985]);
      const more = await take(limits, { tokens: 30 });
      opened.limiter.settle(more, 200);
      assert.deepEqual(await Promise.all(limits.map(remaining)), [0, 785]);
    });

    it('states no retry time for an ask above the whole limit, even an idle one', async () => {
      for (const kind of ['tokens', 'tokens_per_day'] as const) {
        const limit = limitOf(kind, 100);
        const decision = await refused([limit, limitOf('requests', 5)], { tokens: 101 });
        assert.equal(decision.retryAfterMs, undefined);
        assert.equal(decision.binding?.limit, limit);
        await take([limit], { tokens: 100 });
      }
    });

    it('frees a slot when the call is settled, and when it expires', async () => {
      const limit = limitOf('concurrent', 2);
      const permit = await take([limit]);
      await take([limit], { expiresMs: SHORT_MS });
      const { retryAfterMs = 0 } = await refused([limit]);
      assert.ok(retryAfterMs > 0 && retryAfterMs <= SHORT_MS + PART_MS);
      opened.limiter.settle(permit, 0);
      await take([limit]);
      await refused([limit]);
      await opened.pass(SHORT_MS + PART_MS);
      await take([limit]);
    });

    it('drops an abandoned reservation of the day at its expiry', async () => {
      const limit = limitOf('tokens_per_day', 10, { windowMs: 24 * 60 * MINUTE_MS });
      await take([limit], { tokens: 8, expiresMs: SHORT_MS });
      const { retryAfterMs = 0 } = await refused([limit], { tokens: 3 });
      assert.ok(retryAfterMs > 0 && retryAfterMs <= SHORT_MS + PART_MS);
      await opened.pass(SHORT_MS + PART_MS);
      await take([limit], { tokens: 10 });
    });

    it('applies a changed limit from the next ask on, larger or smaller', async () => {
      const limit = limitOf('requests', 3);
      for (let taken = 0; taken < 3; taken += 1) await take([limit]);
      await refused([limit]);
      await take([{ ...limit, max: 4 }]);
      const { binding } = await refused([{ ...limit, max: 2 }]);
      assert.equal(binding?.remaining, 0);
      await take([{ ...limit, max: 5 }]);
    });

    it('refuses every ask under a limit of zero', async () => {
      const { retryAfterMs } = await refused([limitOf('requests', 0)]);
      assert.equal(retryAfterMs, undefined);
    });

    it('gives refused jobs due times one interval apart, from when a slot opens', async () => {
      const limit = limitOf('requests', 10, { windowMs: 10_000 });
      for (let taken = 0; taken < 10; taken += 1) await take([limit]);
      const queueing = { hasWaited: false, behindMs: 0, patienceMs: 0 };
      const refusals = await Promise.all([1, 2, 3].map(() => refused([limit], { queueing })));
      const [first = 0, second = 0, third = 0] = refusals.map(({ dueInMs = 0 }) => dueInMs);
      assert.ok(first > 5000 && first <= 10_000 + PART_MS);
      assert.ok(Math.abs(second - first - 1005) <= 50 && Math.abs(third - second - 1005) <= 50);
      assert.equal((await refused([limit])).dueInMs, undefined);
    });

    it('gives no due time for a wait within the patience', async () => {
      const limit = limitOf('requests', 1, { windowMs: 1000 });
      await take([limit]);
      const queueing = { hasWaited: false, behindMs: 0, patienceMs: 1100 };
      const { dueInMs, retryAfterMs = 0 } = await refused([limit], { queueing });
      assert.equal(dueInMs, undefined);
      assert.ok(retryAfterMs > 0 && retryAfterMs <= 1000 + PART_MS);
    });

    it('queues a job without a due time behind outstanding ones, though a slot is free', async () => {
      const limit = limitOf('requests', 2, { windowMs: SHORT_MS });
      const first = { hasWaited: false, behindMs: 0, patienceMs: 0 };
      await take([limit]);
      await take([limit]);
      const scheduled = Array.from({ length: 200 }, () => refused([limit], { queueing: first }));
      await Promise.all(scheduled);
      await opened.pass(SHORT_MS + PART_MS);
      const { dueInMs = 0 } = await refused([limit], { queueing: first });
      assert.ok(dueInMs > SHORT_MS, String(dueInMs));
      await take([limit], { queueing: { ...first, hasWaited: true } });
      await take([limit]);
    });

    it('queues a job behind the waiting jobs of its process', async () => {
      const limit = limitOf('requests', 2);
      const queueing = { hasWaited: false, behindMs: 70, patienceMs: 100 };
      const refusal = await refused([limit], { queueing });
      assert.deepEqual([refusal.retryAfterMs, refusal.dueInMs], [70, undefined]);
    });

    it('reports standings without taking', async () => {
      const limit = limitOf('requests', 4);
      assert.equal(await remaining(limit), 4);
      await take([limit]);
      assert.equal(await remaining(limit), 3);
      assert.equal(await remaining(limit), 3);
    });

    it('never admits more than the remainder, for any sequence of asks, settlements and returns', async () => {
      const step = fc.record({
        doing: fc.constantFrom('take', 'take', 'settle', 'give'),
        amount: fc.nat({ max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
          const limit = limitOf('tokens', 20);
          const open: PermitAsk[] = [];
          let used = 0;
          for (const { doing, amount } of steps) {
            const permit = doing === 'take' ? undefined : open.shift();
            if (permit) used += (doing === 'settle' ? amount : 0) - permit.tokens;
            if (permit && doing === 'settle') opened.limiter.settle(permit, amount);
            else if (permit) opened.limiter.giveBack(permit);
            if (doing !== 'take') continue;
            const asked = ask([limit], { tokens: amount });
            const { isAllowed } = await decide(asked);
            assert.equal(isAllowed, used + amount <= 20);
            if (isAllowed) used += amount;
            if (isAllowed) open.push(asked);
          }
        }),
        { numRuns: 40 },
      );
    });

    it('closes idempotently', async () => {
      const other = await open();
      await other.limiter.close();
      await other.limiter.close();
      await other.close();
    });
  });
}
