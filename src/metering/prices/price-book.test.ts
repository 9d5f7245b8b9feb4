import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calcPrice } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { NANOS_PER_USD } from '../../kernel/money.ts';
import { NO_USAGE, type Usage, type UsageExtras } from '../../kernel/usage.ts';
import { createPriceBook, type PriceAnswer } from './price-book.ts';
import type { PackagePrices } from './price-package.ts';

const AT = Date.UTC(2026, 10, 15, 12);
const book = createPriceBook();

const NO_EXTRAS: UsageExtras = {
  audioInputTokens: 0,
  imageInputTokens: 0,
  videoInputTokens: 0,
  audioCacheTokens: 0,
  imageCacheTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  toolUses: {},
};

function used(parts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...parts };
}

function cost(answer: PriceAnswer): number {
  assert.ok('costNanos' in answer, 'the model has no price');
  return answer.costNanos;
}

function price(provider: string, model: string, parts: Partial<Usage>, atMs = AT): number {
  return cost(book.price(provider, model, used(parts), atMs));
}

test('a model with a price for something that is not metered has no price', () => {
  assert.equal(book.isPriced('perplexity', 'sonar-pro'), true);
  assert.equal(book.isPriced('perplexity', 'sonar-deep-research'), false);
  assert.equal(book.isPriced('google', 'gemini-omni-flash-preview'), false);
});

test('the three built-in models have a price, with a date or a suffix', () => {
  const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const sums: [string, number][] = [
    ['claude-opus-4', 90],
    ['claude-opus-4-20250514', 90],
    ['claude-sonnet-4', 18],
    ['claude-sonnet-4-20250514', 18],
    ['claude-sonnet-4-latest', 18],
    ['claude-haiku-4', 1.5],
    ['claude-haiku-4-20250514', 1.5],
    ['claude-haiku-4@20250514', 1.5],
  ];
  for (const [model, usd] of sums)
    assert.equal(price('anthropic', model, million), usd * NANOS_PER_USD, model);
});

test('the package overrides a built-in price, such as for a later version of a family', () => {
  assert.deepEqual(book.price('anthropic', 'claude-haiku-4-5', used({ inputTokens: 1000 }), AT), {
    costNanos: 1_000_000,
    priced: 'package',
  });
  assert.deepEqual(book.price('anthropic', 'claude-haiku-4', used({ inputTokens: 1000 }), AT), {
    costNanos: 250_000,
    priced: 'built_in',
  });
});

test('a cached request costs what the bill says', () => {
  // 12 × 3 + 45 × 15 + 2000 × 0.30 + 100 × 3.75 + 200 × 6 dollars per million.
  const usage = {
    inputTokens: 12,
    outputTokens: 45,
    cacheReadTokens: 2000,
    cacheWriteTokens: 100,
    cacheWrite1hTokens: 200,
  };
  assert.equal(
    price('anthropic', 'claude-sonnet-4', usage),
    36_000 + 675_000 + 600_000 + 375_000 + 1_200_000,
  );
  // 176 × 1.25 + 1024 × 0.125 + 300 × 10; reasoning is in the output already.
  assert.equal(
    price('openai', 'gpt-5', {
      inputTokens: 176,
      cacheReadTokens: 1024,
      outputTokens: 300,
      reasoningTokens: 256,
    }),
    220_000 + 128_000 + 3_000_000,
  );
  // 400 × 0.30 + 600 × 0.03 + 100 × 2.50.
  assert.equal(
    price('gemini', 'gemini-2.5-flash', {
      inputTokens: 400,
      cacheReadTokens: 600,
      outputTokens: 100,
      reasoningTokens: 30,
    }),
    120_000 + 18_000 + 250_000,
  );
});

test('a long context moves the whole request to the next step, cached tokens counted in', () => {
  const short = { inputTokens: 150_000, cacheReadTokens: 50_000, outputTokens: 1000 };
  const long = { ...short, cacheReadTokens: 50_001 };
  assert.equal(
    price('anthropic', 'claude-sonnet-4-5', short),
    150_000 * 3000 + 50_000 * 300 + 1000 * 15_000,
  );
  assert.equal(
    price('anthropic', 'claude-sonnet-4-5', long),
    150_000 * 6000 + 50_001 * 600 + 1000 * 22_500,
  );
});

test('a price that changes on a date changes on that date', () => {
  const long = { inputTokens: 300_000 };
  const change = Date.UTC(2026, 2, 13);
  assert.equal(price('anthropic', 'claude-opus-4-6', long, change - 1), 300_000 * 10_000);
  assert.equal(price('anthropic', 'claude-opus-4-6', long, change), 300_000 * 5000);
});

test('a price that depends on the hour follows it', () => {
  const byDay = price(
    'deepseek',
    'deepseek-reasoner',
    { inputTokens: 1_000_000 },
    Date.UTC(2025, 5, 1, 12),
  );
  const byNight = price(
    'deepseek',
    'deepseek-reasoner',
    { inputTokens: 1_000_000 },
    Date.UTC(2025, 5, 1, 20),
  );
  assert.notEqual(byDay, byNight);
});

test('an aborted stream costs its input and the output so far, rounded up', () => {
  assert.equal(price('openai', 'gpt-5-nano', { inputTokens: 3, outputTokens: 0 }), 150);
  assert.equal(
    price('openai', 'gpt-4o', { inputTokens: 7, outputTokens: 2 }),
    7 * 2500 + 2 * 10_000,
  );
  const fine = createPriceBook({ overrides: { m: { inputUsd: '0.0000015', outputUsd: 0 } } });
  assert.equal(cost(fine.price('p', 'm', used({ inputTokens: 1 }), AT)), 1);
  assert.equal(cost(fine.price('p', 'm', used({ inputTokens: 1_000_000 }), AT)), 1500);
  assert.equal(cost(fine.price('p', 'm', used({ inputTokens: 1_000_001 }), AT)), 1501);
});

test('embeddings are priced by input, and a model without token prices is unknown', () => {
  assert.equal(price('openai', 'text-embedding-3-small', { inputTokens: 1000 }), 20_000);
  for (const model of ['whisper-1', 'moderation', 'no-such-model', '', 'x'.repeat(5000)]) {
    assert.deepEqual(book.price('openai', model, used({ inputTokens: 1 }), AT), { unknown: true });
    assert.equal(book.isPriced('openai', model), false);
  }
});

test('a model at a provider with an unknown name is priced by its own name', () => {
  assert.equal(price('our-azure', 'gpt-4o', { inputTokens: 1000 }), 2_500_000);
  assert.deepEqual(book.price('vllm', 'our-own-7b', NO_USAGE, AT), { unknown: true });
});

test('the most specific override wins, and the default comes last', () => {
  const own = createPriceBook({
    overrides: {
      'gpt-4o': { inputUsd: 1, outputUsd: 2 },
      'azure/gpt-4o': { inputUsd: '0.5', outputUsd: 1, cacheReadUsd: 0.1 },
      'local-*': { inputUsd: 0, outputUsd: 0 },
      'local-big-*': {
        inputUsd: 1,
        outputUsd: 1,
        longContext: { aboveTokens: 100, inputUsd: 3, outputUsd: 3 },
      },
    },
    defaultPrice: { inputUsd: 7, outputUsd: 7 },
  });
  const of = (provider: string, model: string, parts: Partial<Usage>): PriceAnswer =>
    own.price(provider, model, used(parts), AT);
  assert.deepEqual(of('openai', 'gpt-4o', { inputTokens: 10 }), {
    costNanos: 10_000,
    priced: 'override',
  });
  assert.equal(cost(of('azure', 'gpt-4o', { inputTokens: 10, cacheReadTokens: 10 })), 5000 + 1000);
  assert.equal(cost(of('x', 'local-7b', { inputTokens: 10 })), 0);
  assert.equal(cost(of('x', 'local-big-70b', { inputTokens: 100 })), 100_000);
  assert.equal(cost(of('x', 'local-big-70b', { inputTokens: 101 })), 303_000);
  assert.deepEqual(of('x', 'who-knows', { inputTokens: 10 }), {
    costNanos: 70_000,
    priced: 'default',
  });
  assert.throws(
    () => createPriceBook({ overrides: { m: { inputUsd: -1, outputUsd: 1 } } }),
    RangeError,
  );
  assert.throws(
    () => createPriceBook({ defaultPrice: { inputUsd: 'x', outputUsd: 1 } }),
    RangeError,
  );
});

test('a model that should have been refused has a cost', () => {
  assert.equal(book.costNanos('openai', 'no-such-model', used({ inputTokens: 10 }), AT), 150_000);
  assert.equal(book.costNanos('openai', 'gpt-4o', used({ inputTokens: 10 }), AT), 25_000);
});

test('the package is loaded on first use, and each model is looked up once', () => {
  const asked: string[] = [];
  const packagePrices: PackagePrices = {
    load: () => void asked.push('load'),
    find: (_provider, model) => {
      asked.push(model);
      return undefined;
    },
  };
  const own = createPriceBook({ packagePrices, overrides: { a: { inputUsd: 1, outputUsd: 1 } } });
  own.price('p', 'a', NO_USAGE, AT);
  assert.deepEqual(asked, []);
  for (let turn = 0; turn < 3; turn += 1) own.isPriced('p', 'b');
  assert.deepEqual(asked, ['b']);
});

test('the cache of model names is bounded', () => {
  let asked = 0;
  const packagePrices: PackagePrices = {
    load: () => {},
    find: () => {
      asked += 1;
      return undefined;
    },
  };
  const own = createPriceBook({ packagePrices });
  for (let turn = 0; turn < 5000; turn += 1) own.isPriced('p', `m${turn}`);
  own.isPriced('p', 'm0');
  assert.equal(asked, 5001);
});

const MODELS: readonly [provider: string, packageId: string, model: string][] = [
  ['anthropic', 'anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'anthropic', 'claude-opus-4-6'],
  ['anthropic', 'anthropic', 'claude-3-5-haiku-latest'],
  ['openai', 'openai', 'gpt-5.4'],
  ['openai', 'openai', 'gpt-4o-mini'],
  ['openai', 'openai', 'o3'],
  ['gemini', 'google', 'gemini-2.5-pro'],
  ['gemini', 'google', 'gemini-flash-1.5-8b'],
  ['mistral', 'mistral', 'mistral-large-latest'],
  ['deepseek', 'deepseek', 'deepseek-chat'],
];
const count = fc.nat({ max: 400_000 });
const anyUsage = fc
  .record({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...counts }) => ({
    ...counts,
    reasoningTokens: Math.floor(counts.outputTokens * share),
  }));
const anyTime = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) });

test('prices agree with the package itself to the nano-dollar', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...MODELS),
      anyUsage,
      anyTime,
      ([provider, id, model], usage, atMs) => {
        // Only Anthropic has one-hour cache writes; for others the package throws.
        const writes = usage.cacheWrite1hTokens;
        const isAnthropic = provider === 'anthropic';
        const counted: Usage = isAnthropic ? usage : { ...usage, cacheWrite1hTokens: 0 };
        const reference = calcPrice(
          {
            input_tokens:
              counted.inputTokens +
              counted.cacheReadTokens +
              counted.cacheWriteTokens +
              counted.cacheWrite1hTokens,
            output_tokens: counted.outputTokens,
            cache_read_tokens: counted.cacheReadTokens,
            cache_write_tokens: counted.cacheWriteTokens + counted.cacheWrite1hTokens,
            ...(isAnthropic ? { cache_write_1h_tokens: writes } : {}),
          },
          model,
          { providerId: id, timestamp: new Date(atMs) },
        );
        assert.ok(reference);
        const seen = price(provider, model, counted, atMs);
        const gap = seen - reference.total_price * NANOS_PER_USD;
        assert.ok(gap > -0.01 && gap < 1.01, `${model}: off by ${gap}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test('no usage within the bounds costs more than the worst case', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...MODELS),
      anyUsage,
      anyTime,
      fc.nat({ max: 600_000 }),
      ([provider, , model], usage, atMs, laterMs) => {
        const inputTokens =
          usage.inputTokens +
          usage.cacheReadTokens +
          usage.cacheWriteTokens +
          usage.cacheWrite1hTokens;
        const most = { inputTokens, outputTokens: usage.outputTokens };
        const worst = cost(book.worstCase(provider, model, most, atMs));
        assert.ok(price(provider, model, usage, atMs) <= worst);
        assert.ok(price(provider, model, usage, atMs + laterMs) <= worst);
        const short = {
          ...usage,
          inputTokens: inputTokens - usage.cacheWriteTokens,
          cacheReadTokens: 0,
          cacheWrite1hTokens: 0,
        };
        const worstShort = cost(
          book.worstCase(provider, model, { ...most, mayCacheForAnHour: false }, atMs),
        );
        assert.ok(price(provider, model, short, atMs) <= worstShort && worstShort <= worst);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a model that writes images reserves one, whatever the maximum', () => {
  const most = (outputTokens: number) => {
    const bounds = { inputTokens: 0, outputTokens };
    return cost(book.worstCase('google', 'gemini-3-pro-image-preview', bounds, AT));
  };
  // The documented image of 4K has 2000 tokens.
  assert.ok(most(1) >= 2000 * 120_000);
  assert.equal(most(32_000), 32_000 * 120_000);
  assert.equal(most(0), 0);
});

test('absurd token counts cost a safe integer', () => {
  const absurd = used({ inputTokens: 1_000_000_000, outputTokens: 1_000_000_000 });
  const answer = createPriceBook({ defaultPrice: { inputUsd: 10_000, outputUsd: 10_000 } }).price(
    'p',
    'm',
    absurd,
    AT,
  );
  assert.equal(cost(answer), Number.MAX_SAFE_INTEGER);
  const dear = price('openai', 'gpt-5.4-pro', { inputTokens: 1_000_000_000 });
  assert.equal(dear, 60_000 * 1_000_000_000);
});

test('absurd token counts cost their media and their uses of tools, too', () => {
  const usage = (extras: object) => ({
    ...used({ inputTokens: 60_000_000 }),
    extras: { ...NO_EXTRAS, ...extras },
  });
  const costOf = (model: string, extras: object) =>
    cost(book.price('openai', model, usage(extras), AT));
  const searches = costOf('gpt-4.1', { toolUses: { web_search: 3 } });
  assert.equal(searches - costOf('gpt-4.1', {}), 30_000_000);
  assert.equal(costOf('gpt-audio', { audioInputTokens: 60_000_000 }), 60_000_000 * 32_000);
});

test('a tier scales the tokens, and not the search that is a part of each request', () => {
  const tiered = createPriceBook({ features: { tiers: { flex: 0.5 } } });
  const usage = {
    ...used({ inputTokens: 1000, outputTokens: 100 }),
    tiers: { service_tier: 'flex' },
  };
  const model = 'gpt-4o-mini-search-preview';
  // (1000 × 150 + 100 × 600) × 0.5 + 25,000,000
  assert.equal(tiered.costNanos('openai', model, usage, AT), 25_105_000);
});

test('an unknown version of a known family has no price, unless the operator gives one', () => {
  const book = createPriceBook();
  for (const model of [
    'claude-opus-4-10',
    'claude-opus-4-99',
    'claude-haiku-4-9',
    'claude-opus-47',
  ])
    assert.equal(book.isPriced('anthropic', model), false, model);
  for (const model of ['claude-opus-4-1', 'claude-opus-4-1-20250805', 'claude-haiku-4', 'gpt-4o'])
    assert.equal(
      book.isPriced(model.startsWith('gpt') ? 'openai' : 'anthropic', model),
      true,
      model,
    );
  const family = { 'claude-opus-*': { inputUsd: 15, outputUsd: 75 } };
  assert.ok(createPriceBook({ overrides: family }).isPriced('anthropic', 'claude-opus-4-99'));
});
