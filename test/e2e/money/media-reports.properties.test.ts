// Reports with every dimension that has a price of its own beside text: sound, images and videos as input, from a cache, read by
// tools and as output, searches counted in three ways, cache writes by lifetime, embeddings. Unary and streamed, the charge is the
// list price, computed here from the package's own numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { ProviderFormat } from '../../../src/kernel/provider-format.ts';
import type { MeteredUsage } from '../../../src/kernel/usage.ts';
import { createPriceBook } from '../../../src/metering/prices/price-book.ts';
import { readUsage } from '../../../src/upstream/attempt/read-usage.ts';
import { createStreamReader } from '../../../src/upstream/streams/reader.ts';
import { perMillion, priceOf } from './list-prices.ts';

const AT = Date.parse('2026-10-01T12:00:00Z');
const GOOGLE_SEARCH = 35_000_000;
const SEARCH = 10_000_000;
const prices = createPriceBook({ features: { toolsUsd: { google_search: 0.035 } } });

/** Tokens at the first of the keys that the price list has. */
type Part = readonly [tokens: number, ...keys: readonly string[]];

type Drawn = {
  /** The whole answer, and the events of the same answer as a stream; undefined for an endpoint that does not stream. */
  readonly answer: object;
  readonly events: readonly object[] | undefined;
  readonly parts: readonly Part[];
  readonly toolNanos: number;
};

type Vendor = {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly provider: string;
  readonly models: readonly string[];
  readonly drawn: fc.Arbitrary<Drawn>;
};

const count = fc.nat(20_000);
const texts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', ''));

const gemini: fc.Arbitrary<Drawn> = fc
  .record({
    prompt: fc.record({ text: count, audio: count, image: count, document: count, video: count }),
    cache: fc.record({ text: count, audio: count }),
    tool: fc.record({ text: count, audio: count }),
    output: fc.record({ text: fc.integer({ min: 1, max: 9000 }), image: fc.nat(9000) }),
    thoughts: count,
    queries: fc.tuple(texts, texts),
    modelVersion: fc.constantFrom('gemini-2.5-flash', 'gemini-3-flash-preview'),
  })
  .map(({ prompt, cache, tool, output, thoughts, queries, modelVersion }) => {
    const whole = {
      ...prompt,
      text: prompt.text + cache.text,
      audio: prompt.audio + cache.audio,
    };
    const usageMetadata = {
      promptTokenCount: sumOf(whole),
      cachedContentTokenCount: sumOf(cache),
      toolUsePromptTokenCount: sumOf(tool),
      candidatesTokenCount: sumOf(output),
      thoughtsTokenCount: thoughts,
      totalTokenCount: sumOf(whole) + sumOf(tool) + sumOf(output) + thoughts,
      promptTokensDetails: detailsOf(whole),
      cacheTokensDetails: detailsOf(cache),
      toolUsePromptTokensDetails: detailsOf(tool),
      candidatesTokensDetails: detailsOf(output),
    };
    const candidate = (webSearchQueries: readonly string[]) => ({
      content: { parts: [{ text: 'Hi' }] },
      groundingMetadata: { webSearchQueries },
    });
    const [first, second] = queries;
    const all = [...new Set([...first, ...second])];
    const run = all.filter((query) => query !== '').length;
    const searches = modelVersion.startsWith('gemini-2') ? Math.min(run, 1) : run;
    return {
      answer: {
        candidates: [{ ...candidate(all), finishReason: 'STOP' }],
        modelVersion,
        usageMetadata,
      },
      events: [
        { candidates: [candidate(first)], modelVersion },
        {
          candidates: [candidate(second)],
          modelVersion,
          usageMetadata: { promptTokenCount: whole.text },
        },
        { candidates: [{ ...candidate([]), finishReason: 'STOP' }], modelVersion, usageMetadata },
      ],
      parts: [
        [prompt.text + tool.text, 'input_mtok'],
        [prompt.audio + tool.audio, 'input_audio_mtok', 'input_mtok'],
        [prompt.image + prompt.document, 'input_image_mtok', 'input_mtok'],
        [prompt.video, 'input_video_mtok', 'input_mtok'],
        [cache.text, 'cache_read_mtok', 'input_mtok'],
        [cache.audio, 'cache_audio_read_mtok', 'cache_read_mtok', 'input_audio_mtok', 'input_mtok'],
        [output.text + thoughts, 'output_mtok'],
        [output.image, 'output_image_mtok', 'output_mtok'],
      ],
      toolNanos: searches * GOOGLE_SEARCH,
    };
  });

const geminiEmbeddings: fc.Arbitrary<Drawn> = fc
  .record({
    prompt: fc.record({ text: count, audio: count, image: count, video: count }),
    isPlural: fc.boolean(),
  })
  .map(({ prompt, isPlural }) => ({
    answer: {
      embedding: { values: [0.5] },
      usageMetadata: {
        promptTokenCount: sumOf(prompt),
        [isPlural ? 'promptTokensDetails' : 'promptTokenDetails']: detailsOf(prompt),
      },
    },
    events: undefined,
    parts: [
      [prompt.text, 'input_mtok'],
      [prompt.audio, 'input_audio_mtok'],
      [prompt.image, 'input_image_mtok'],
      [prompt.video, 'input_video_mtok'],
    ],
    toolNanos: 0,
  }));

const chat: fc.Arbitrary<Drawn> = fc
  .record({
    input: fc.record({ text: count, audio: count }),
    cache: fc.record({ text: count, audio: count }),
    output: fc.record({ text: fc.integer({ min: 1, max: 9000 }), audio: count }),
  })
  .map(({ input, cache, output }) => {
    const usage = {
      prompt_tokens: sumOf(input) + sumOf(cache),
      completion_tokens: sumOf(output),
      total_tokens: sumOf(input) + sumOf(cache) + sumOf(output),
      prompt_tokens_details: {
        text_tokens: input.text + cache.text,
        audio_tokens: input.audio + cache.audio,
        cached_tokens: sumOf(cache),
        cached_tokens_details: { text_tokens: cache.text, audio_tokens: cache.audio },
      },
      completion_tokens_details: { text_tokens: output.text, audio_tokens: output.audio },
    };
    return {
      answer: { choices: [{ index: 0, message: { content: 'Hi' } }], usage },
      events: [
        { choices: [{ index: 0, delta: { content: 'Hi' } }], usage: null },
        { choices: [], usage },
      ],
      parts: [
        [input.text, 'input_mtok'],
        [input.audio, 'input_audio_mtok'],
        [cache.text, 'cache_read_mtok', 'input_mtok'],
        [cache.audio, 'cache_audio_read_mtok', 'cache_read_mtok', 'input_audio_mtok'],
        [output.text, 'output_mtok'],
        [output.audio, 'output_audio_mtok'],
      ],
      toolNanos: 0,
    };
  });

const responses: fc.Arbitrary<Drawn> = fc
  .record({
    plain: fc.integer({ min: 1, max: 20_000 }),
    output: fc.integer({ min: 1, max: 9000 }),
    read: count,
    short: count,
    long: count,
    calls: fc.array(fc.constantFrom('search', 'open_page', 'find_in_page'), { maxLength: 5 }),
    counted: fc.option(fc.nat(9), { nil: undefined }),
  })
  .map(({ plain, output, read, short, long, calls, counted }) => {
    const usage = {
      input_tokens: plain + read + short + long,
      output_tokens: output,
      input_tokens_details: {
        cached_tokens: read,
        cache_write_tokens: short + long,
        cache_write_tokens_details: { ttl_12h_tokens: long, ttl_30m_tokens: short },
      },
    };
    const items = calls.map((type) => ({ type: 'web_search_call', action: { type } }));
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
    const tool_usage = { image_gen: {}, web_search: { num_requests: counted } };
    const answer = {
      status: 'completed',
      output: [...items, message],
      ...(counted === undefined ? {} : { tool_usage }),
      usage,
    };
    const searches = counted ?? calls.filter((type) => type === 'search').length;
    return {
      answer,
      events: [
        ...items.map((item) => ({ type: 'response.output_item.done', item })),
        { type: 'response.output_text.delta', delta: 'Hi' },
        { type: 'response.completed', response: answer },
      ],
      parts: [
        [plain, 'input_mtok'],
        [read, 'cache_read_mtok'],
        [short, 'cache_write_mtok'],
        // A long write has no price of its own: 1.6 times the price of a short one.
        [long, 'cache_write_mtok'],
        [long * 0.6, 'cache_write_mtok'],
        [output, 'output_mtok'],
      ],
      toolNanos: searches * SEARCH,
    };
  });

const embeddings: fc.Arbitrary<Drawn> = fc
  .record({ input: fc.integer({ min: 1, max: 300_000 }), isTotalOnly: fc.boolean() })
  .map(({ input, isTotalOnly }) => ({
    answer: {
      data: [{ embedding: [0.5], index: 0 }],
      usage: { ...(isTotalOnly ? {} : { prompt_tokens: input }), total_tokens: input },
    },
    events: undefined,
    parts: [[input, 'input_mtok']],
    toolNanos: 0,
  }));

const VENDORS: readonly Vendor[] = [
  {
    name: 'generateContent',
    format: 'gemini',
    provider: 'google',
    models: ['gemini-2.5-flash', 'gemini-3-flash-preview', 'gemini-2.5-flash-image'],
    drawn: gemini,
  },
  {
    name: 'embedContent',
    format: 'gemini',
    provider: 'google',
    models: ['gemini-embedding-2'],
    drawn: geminiEmbeddings,
  },
  {
    name: 'Chat Completions',
    format: 'openai',
    provider: 'openai',
    models: ['gpt-audio', 'gpt-audio-mini'],
    drawn: chat,
  },
  {
    name: 'Responses',
    format: 'openai',
    provider: 'openai',
    models: ['gpt-6-sol'],
    drawn: responses,
  },
  {
    name: 'Embeddings',
    format: 'openai',
    provider: 'openai',
    models: ['text-embedding-3-small', 'text-embedding-3-large'],
    drawn: embeddings,
  },
];

for (const { name, format, provider, models, drawn } of VENDORS)
  test(`${name}: every reported dimension costs its list price, unary and streamed`, () => {
    fc.assert(
      fc.property(
        drawn,
        fc.constantFrom(...models),
        ({ answer, events, parts, toolNanos }, model) => {
          const expected = listPrice(provider, model, parts) + toolNanos;
          const costOf = (usage: MeteredUsage | undefined) => {
            assert.ok(usage);
            return prices.costNanos(provider, model, usage, AT);
          };
          assert.equal(costOf(readUsage(format, Buffer.from(JSON.stringify(answer)))), expected);
          if (events) assert.equal(costOf(readStream(format, events)), expected);
        },
      ),
      { numRuns: 200 },
    );
  });

function readStream(format: ProviderFormat, events: readonly object[]) {
  const reader = createStreamReader(format);
  for (const event of events) reader.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return reader.usage();
}

function listPrice(provider: string, model: string, parts: readonly Part[]): number {
  const list = priceOf(provider, model);
  const total = parts.reduce((sum, [tokens, ...keys]) => {
    const key = keys.find((each) => list[each] !== undefined) ?? '';
    return sum + BigInt(Math.round(tokens * 10)) * perMillion(list, key, '', 0);
  }, 0n);
  return Number((total + 9_999_999n) / 10_000_000n);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, tokens) => sum + tokens, 0);
}

function detailsOf(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([modality, tokenCount]) => ({
    modality: modality.toUpperCase(),
    tokenCount,
  }));
}
