// What every ProviderLimits promises to the server that uses it. The test of each adapter calls this with its own.
// The clock is the test's; an adapter whose shared state has a clock of its own is given one that starts at its time.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { ProviderLimit, ProviderLimits } from '../../src/admission/provider-limits.ts';
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

    /** Every test has a provider of its own, also where suites follow each other on one Redis. */
    const run = randomBytes(4).toString('hex');
    function limitOf(fields: Partial<ProviderLimit> = {}): ProviderLimit {
      const setAt = clock.now();
      const resetAt = setAt + MINUTE_MS;
      const who = { setBy: 'srv-1', setAt, kind: 'learnt' } as const;
      return { provider: `p-${run}-${providers}`, region: 'us-east', resetAt, ...who, ...fields };
    }
    function newProvider(): string {
      providers += 1;
      return `p-${run}-${providers}`;
    }

    it('knows of no limit unless told', () => {
      assert.equal(limits.active(newProvider(), 'us-east', 'a-model'), undefined);
    });

    it('holds back every model of the provider in that region and nothing else', async () => {
      const provider = newProvider();
      const limit = limitOf({ provider });
      await limits.set(limit);
      assert.deepEqual(limits.active(provider, 'us-east', 'a-model'), limit);
      assert.deepEqual(limits.active(provider, 'us-east', 'another'), limit);
      assert.equal(limits.active(provider, 'eu-west', 'a-model'), undefined);
      assert.equal(limits.active(newProvider(), 'us-east', 'a-model'), undefined);
    });

    it('holds from the moment it is set, before that is known elsewhere', async () => {
      const limit = limitOf({ provider: newProvider() });
      const setting = limits.set(limit);
      assert.deepEqual(limits.active(limit.provider, 'us-east', 'a-model'), limit);
      await setting;
    });

    it('holds back one model alone when the limit is bound to it, whatever its name', async () => {
      const provider = newProvider();
      for (const model of ['ft:gpt-5:acme::a1', 'models/gemini', 'claude', 'ünï "code" {}']) {
        const limit = limitOf({ provider, model });
        await limits.set(limit);
        assert.deepEqual(limits.active(provider, 'us-east', model), limit);
        assert.equal(limits.active(provider, 'us-east', `${model}-other`), undefined);
      }
    });

    it('moves later and never earlier', async () => {
      const early = limitOf({ provider: newProvider() });
      const late = { ...early, resetAt: early.resetAt + 1, setBy: 'srv-2' };
      const { provider } = early;
      await limits.set(early);
      await limits.set(late);
      await limits.set(early);
      assert.deepEqual(limits.active(provider, 'us-east', 'a-model'), late);
      await limits.set({ ...late, setBy: 'srv-3' });
      assert.deepEqual(limits.active(provider, 'us-east', 'a-model'), late);
    });

    it('is over by itself when its time has come', async () => {
      const limit = limitOf({ provider: newProvider() });
      await limits.set(limit);
      await clock.advance(MINUTE_MS - 1);
      assert.deepEqual(limits.active(limit.provider, 'us-east', 'a-model'), limit);
      await clock.advance(1);
      assert.equal(limits.active(limit.provider, 'us-east', 'a-model'), undefined);
    });

    it('takes no limit that is over already', async () => {
      const limit = limitOf({ provider: newProvider(), resetAt: clock.now() });
      await limits.set(limit);
      assert.equal(limits.active(limit.provider, 'us-east', 'a-model'), undefined);
    });

    it('lets calls through again when it is cleared, and may then end earlier than before', async () => {
      const provider = newProvider();
      const whole = limitOf({ provider });
      const bound = limitOf({ provider, model: 'a-model' });
      await limits.set(whole);
      await limits.set(bound);
      await limits.clear(provider, 'us-east');
      assert.deepEqual(limits.active(provider, 'us-east', 'a-model'), bound);
      assert.equal(limits.active(provider, 'us-east', 'another'), undefined);
      await limits.clear(provider, 'us-east', 'a-model');
      assert.equal(limits.active(provider, 'us-east', 'a-model'), undefined);
      await limits.clear(provider, 'us-east');
      const earlier = { ...whole, resetAt: whole.resetAt - 1000 };
      await limits.set(earlier);
      assert.deepEqual(limits.active(provider, 'us-east', 'a-model'), earlier);
    });

    it('lists the limits that hold now, each with every field', async () => {
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

    it('agrees with a model of itself, whatever is done in whatever order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const provider = newProvider();
          const ends = new Map<string, number>();
          for (const { kind, region, byMs } of steps) {
            const until = ends.get(region) ?? 0;
            const resetAt = clock.now() + byMs;
            if (kind === 'advance') await clock.advance(byMs);
            else if (kind === 'clear') await limits.clear(provider, region);
            else await limits.set(limitOf({ provider, region, resetAt }));
            if (kind === 'clear') ends.delete(region);
            if (kind === 'set') ends.set(region, Math.max(until, resetAt));
            for (const place of REGIONS) {
              const due = ends.get(place) ?? 0;
              const expected = due > clock.now() ? due : undefined;
              assert.equal(limits.active(provider, place, 'a-model')?.resetAt, expected);
            }
          }
        }),
        { numRuns: 30 },
      );
    });

    it('is closed as often as one likes', async () => {
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
