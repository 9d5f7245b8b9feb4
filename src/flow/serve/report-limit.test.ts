import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import type { KeyScope } from '../../admission/key-scope.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import { mapProviderError } from '../../errors/map-provider-error.ts';
import { silentLog } from '../../kernel/log.ts';
import { type CircuitKey, regionLabel } from '../../resilience/circuit-key.ts';
import { createReportLimit } from './report-limit.ts';

const REGION = 'us-east';
const ACCOUNTS: Record<string, readonly CircuitKey[]> = {
  anthropic: [
    { provider: 'anthropic', region: REGION },
    { provider: 'anthropic', region: REGION, account: 'second' },
  ],
  openai: [{ provider: 'openai', region: REGION }],
  groq: [{ provider: 'groq', region: REGION }],
};
const DAY_MS = 86_400_000;

describe('a usage limit that a product reports', () => {
  let clock: TestClock;
  let limits: ProviderLimits;
  beforeEach(() => {
    clock = createTestClock();
    limits = createMemoryProviderLimits(clock);
  });

  async function report(
    failure: unknown,
    {
      data = {},
      scopes = ['events', 'limits:report'],
    }: { data?: unknown; scopes?: readonly KeyScope[] } = {},
  ) {
    const reportLimit = createReportLimit({
      limits,
      accountsOf: (name) => ACCOUNTS[name] ?? [],
      providerOf: (model) => (model.startsWith('gpt-') ? 'openai' : undefined),
      clock,
      log: silentLog,
    });
    const verdict = mapProviderError(failure, { now: clock.now() });
    await reportLimit({ scopes: new Set(scopes), keyId: 'key_1' }, { verdict, failure, data });
    return limits.list();
  }

  function sentence(inMs: number): string {
    return `Claude AI usage limit reached|${Math.floor((clock.now() + inMs) / 1000)}`;
  }

  it('applies to every account of the provider until its reset time', async () => {
    const found = await report(sentence(3_600_000));
    assert.deepEqual(
      found.map((limit) => [limit.provider, regionLabel(limit), limit.kind, limit.setBy]),
      [
        ['anthropic', 'us-east', 'reported', 'key_1'],
        ['anthropic', 'us-east/second', 'reported', 'key_1'],
      ],
    );
    assert.equal(found[0]?.resetAt, clock.now() + 3_600_000);
  });

  it('is ignored when the key lacks the scope', async () => {
    assert.deepEqual(await report(sentence(3_600_000), { scopes: ['call', 'jobs', 'events'] }), []);
  });

  it('lasts at most 32 days, and is ignored when already over', async () => {
    const [limit] = await report(sentence(400 * DAY_MS));
    assert.equal(limit?.resetAt, clock.now() + 32 * DAY_MS);
    limits = createMemoryProviderLimits(clock);
    assert.deepEqual(await report(sentence(-3_600_000)), []);
  });

  it('applies to the provider found by name, by model or by keyword', async () => {
    const limit = {
      error: { type: 'insufficient_quota', message: 'You exceeded your current quota' },
    };
    const cases: readonly (readonly [unknown, unknown, string])[] = [
      [{ ...limit, provider: 'Groq' }, {}, 'groq'],
      [limit, { provider: 'openai' }, 'openai'],
      [limit, { model: 'gpt-5' }, 'openai'],
      ["You've hit your ChatGPT usage limit. Try again in 3 hours.", {}, 'openai'],
      ['usage limit reached|1900000000', {}, 'anthropic'],
    ];
    for (const [failure, data, provider] of cases) {
      limits = createMemoryProviderLimits(clock);
      const [found] = await report(failure, { data });
      assert.equal(found?.provider, provider, JSON.stringify(failure));
    }
  });

  it('is not learnt from a throttle, an outage or an unknown provider', async () => {
    assert.deepEqual(await report('Rate limit reached, try again in 2s'), []);
    assert.deepEqual(await report({ type: 'overloaded_error' }), []);
    assert.deepEqual(await report('Gemini daily quota exceeded, resets in 5 hours'), []);
  });
});
