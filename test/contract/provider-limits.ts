// The contract of ProviderLimits; the test of each adapter calls it with its own. The clock is a test clock, which starts at
// the time of the shared state's own clock.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { ProviderLimit, ProviderLimits } from '../../src/admission/provider-limits.ts';
import type { CircuitKey } from '../../src/resilience/circuit-key.ts';
import type { TestClock } from '../support/test-clock.ts';

export type OpenedProviderLimits = {
  readonly limits: ProviderLimits;
  readonly clock: TestClock;
  close(): Promise<void>;
};

const MINUTE_MS = 60_000;

export function providerLimitsContract(
  adapter: string,
  open: () => Promise<OpenedProviderLimits>,
): void {
  describe(`provider limits on ${adapter}`, () => {
    let opened: OpenedProviderLimits;
    let limits: ProviderLimits;
    let clock: TestClock;
    let providers = 0;
    before(async () => {
      opened = await open();
      ({ limits, clock } = opened);
    });
    after(() => opened.close());

    /** Each test uses its own provider, because suites share one Redis. */
    const run = randomBytes(4).toString('hex');
    function limitOf(fields: Partial<ProviderLimit> = {}): ProviderLimit {
      const setAt = clock.now();
      const resetAt = setAt + MINUTE_MS;
      const who = { setBy: 'srv-1', setAt, kind: 'learnt', requestId: 'req_1' } as const;
      return { provider: `p-${run}-${providers}`, region: 'us-east', resetAt, ...who, ...fields };
    }
    function newProvider(): string {
      providers += 1;
      return `p-${run}-${providers}`;
    }

    function callOf(provider: string, model: string, region = 'us-east'): CircuitKey {
      return { provider, region, account: 'default', model };
    }

    it('has no limit before one is set', () => {
      assert.equal(limits.active(callOf(newProvider(), 'a-model')), undefined);
    });

    it('applies to every model of the provider in that region and to nothing else', async () => {
      const provider = newProvider();
      const limit = limitOf({ provider });
      await limits.set(limit);
      assert.deepEqual(limits.active(callOf(provider, 'a-model')), limit);
      assert.deepEqual(limits.active(callOf(provider, 'another')), limit);
      assert.equal(limits.active(callOf(provider, 'a-model', 'eu-west')), undefined);
      assert.equal(limits.active(callOf(newProvider(), 'a-model')), undefined);
    });

    it('applies as soon as it is set, before other servers know', async () => {
      const limit = limitOf({ provider: newProvider() });
      const setting = limits.set(limit);
      assert.deepEqual(limits.active(callOf(limit.provider, 'a-model')), limit);
      await setting;
    });

    it('applies to one model only when it is bound to that model, whatever its name', async () => {
      const provider = newProvider();
      for (const model of ['ft:gpt-5:acme::a1', 'models/gemini', 'claude', 'ünï "code" {}']) {
        const limit = limitOf({ provider, model });
        await limits.set(limit);
        assert.deepEqual(limits.active(callOf(provider, model)), limit);
        assert.equal(limits.active(callOf(provider, `${model}-other`)), undefined);
      }
    });

    it('applies to one account only when it is bound to that account', async () => {
      const provider = newProvider();
      const limit = limitOf({ provider, account: 'second' });
      await limits.set(limit);
      assert.deepEqual(limits.active({ ...callOf(provider, 'm'), account: 'second' }), limit);
      assert.equal(limits.active(callOf(provider, 'm')), undefined);
    });

    it('moves its end later and never earlier', async () => {
      const early = limitOf({ provider: newProvider() });
      const late = { ...early, resetAt: early.resetAt + 1, setBy: 'srv-2' };
      const { provider } = early;
      await limits.set(early);
      await limits.set(late);
      await limits.set(early);
      assert.deepEqual(limits.active(callOf(provider, 'a-model')), late);
      await limits.set({ ...late, setBy: 'srv-3' });
      assert.deepEqual(limits.active(callOf(provider, 'a-model')), late);
    });

    it('expires at its reset time', async () => {
      const limit = limitOf({ provider: newProvider() });
      await limits.set(limit);
      await clock.advance(MINUTE_MS - 1);
      assert.deepEqual(limits.active(callOf(limit.provider, 'a-model')), limit);
      await clock.advance(1);
      assert.equal(limits.active(callOf(limit.provider, 'a-model')), undefined);
    });

    it('ignores a limit that has ended', async () => {
      const limit = limitOf({ provider: newProvider(), resetAt: clock.now() });
      await limits.set(limit);
      assert.equal(limits.active(callOf(limit.provider, 'a-model')), undefined);
    });

    it('can be cleared, and then set with an earlier end', async () => {
      const provider = newProvider();
      const scope = { provider, region: 'us-east' };
      const whole = limitOf({ provider });
      const bound = limitOf({ provider, model: 'a-model' });
      await limits.set(whole);
      await limits.set(bound);
      await limits.clear(scope);
      assert.deepEqual(limits.active(callOf(provider, 'a-model')), bound);
      assert.equal(limits.active(callOf(provider, 'another')), undefined);
      await limits.clear({ ...scope, model: 'a-model' });
      assert.equal(limits.active(callOf(provider, 'a-model')), undefined);
      await limits.clear(scope);
      const earlier = { ...whole, resetAt: whole.resetAt - 1000 };
      await limits.set(earlier);
      assert.deepEqual(limits.active(callOf(provider, 'a-model')), earlier);
    });

    it('lists the limits in force with all their fields', async () => {
      const provider = newProvider();
      const kept = [
        limitOf({ provider, resetAt: clock.now() + 2 * MINUTE_MS, kind: 'manual', setBy: 'ops' }),
        limitOf({ provider, resetAt: clock.now() + 2 * MINUTE_MS, model: 'm', kind: 'reported' }),
      ];
      for (const limit of [...kept, limitOf({ provider, region: 'eu-west' })])
        await limits.set(limit);
      await clock.advance(MINUTE_MS);
      const listed = (await limits.list()).filter((limit) => limit.provider === provider);
      assert.deepEqual(new Set(listed), new Set(kept));
    });

    it('agrees with its model after any sequence of changes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const provider = newProvider();
          const ends = new Map<string, number>();
          for (const { kind, region, byMs } of steps) {
            const until = ends.get(region) ?? 0;
            const resetAt = clock.now() + byMs;
            if (kind === 'advance') await clock.advance(byMs);
            else if (kind === 'clear') await limits.clear({ provider, region });
            else await limits.set(limitOf({ provider, region, resetAt }));
            if (kind === 'clear') ends.delete(region);
            if (kind === 'set') ends.set(region, Math.max(until, resetAt));
            for (const each of REGIONS) {
              const due = ends.get(each) ?? 0;
              const expected = due > clock.now() ? due : undefined;
              assert.equal(limits.active(callOf(provider, 'a-model', each))?.resetAt, expected);
            }
          }
        }),
        { numRuns: 30 },
      );
    });

    it('tolerates repeated close', async () => {
      const other = await open();
      await other.limits.close();
      await other.limits.close();
      await other.close();
    });
  });
}

const REGIONS = ['us-east', 'eu-west'] as const;
const step = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'clear', 'advance'),
  region: fc.constantFrom(...REGIONS),
  byMs: fc.integer({ min: 1000, max: MINUTE_MS }),
});
