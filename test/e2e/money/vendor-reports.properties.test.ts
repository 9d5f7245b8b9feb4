// Reports of usage as the vendors document them, unary and spread over the events of a stream in any cumulative order: the charge is
// the list price of every count. Where counts are missing or are no counts, it is at least the price of the others with an
// estimate in place of the missing ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { chargeAnswer } from '../../../src/flow/call/charge/charge-attempt.ts';
import type { ProviderFormat } from '../../../src/kernel/provider-format.ts';
import type { MeteredUsage } from '../../../src/kernel/usage.ts';
import { createPriceBook } from '../../../src/metering/prices/price-book.ts';
import { readUsage } from '../../../src/upstream/attempt/read-usage.ts';
import { createStreamReader } from '../../../src/upstream/streams/reader.ts';
import { perMillion, perUse, priceOf } from './list-prices.ts';

const AT = Date.parse('2026-10-01T12:00:00Z');
const prices = createPriceBook();
const TEXT = 'Hello';

type Parts = readonly (readonly [number, string, string])[];

/** A report of final counts and what they cost: tokens at the keys of the price list, and uses of tools. */
type Report = {
  readonly usage: Record<string, unknown>;
  readonly parts: Parts;
  readonly tools?: readonly (readonly [number, string])[];
  /** The context that decides the step of a long context. */
  readonly context: number;
};

type Vendor = {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly provider: string;
  readonly model: string;
  readonly reports: fc.Arbitrary<Report>;
  readonly answer: (usage: unknown) => object;
  /** A stream whose reports are the given ones, in order. */
  readonly events: (usages: readonly unknown[]) => readonly object[];
};

const count = fc.nat(150_000);

const anthropic: fc.Arbitrary<Report> = fc
  .record({
    input: count,
    output: fc.integer({ min: 1, max: 60_000 }),
    read: count,
    five: count,
    hour: count,
    searches: fc.nat(5),
    passes: fc.array(fc.record({ input: count, output: fc.nat(9000), read: count, five: count }), {
      maxLength: 2,
    }),
  })
  .map(({ input, output, read, five, hour, searches, passes }) => {
    const sum = (key: 'input' | 'output' | 'read' | 'five') =>
      passes.reduce((total, pass) => total + pass[key], 0);
    const whole = { input, output, read, five, hour };
    const iterations = [
      ...passes.map((pass) => ({ type: 'compaction', ...anthropicCounts({ ...pass, hour: 0 }) })),
      { type: 'message', ...anthropicCounts(whole) },
    ];
    const contexts = passes.map((pass) => pass.input + pass.read + pass.five);
    const own = input + read + five + hour;
    return {
      usage: {
        ...anthropicCounts(whole),
        ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
        ...(passes.length > 0 ? { iterations } : {}),
      },
      parts: [
        [input + sum('input'), 'input_mtok', ''],
        [output + sum('output'), 'output_mtok', ''],
        [read + sum('read'), 'cache_read_mtok', 'input_mtok'],
        [five + sum('five'), 'cache_write_mtok', 'input_mtok'],
        [hour, 'cache_write_1h_mtok', 'input_mtok'],
      ],
      tools: [[searches, 'web_searches_kcount']],
      context: passes.length > 0 ? Math.max(own, ...contexts) : own,
    };
  });

function anthropicCounts(counts: Readonly<Record<string, number>>): Record<string, unknown> {
  const { input, output, read, five = 0, hour = 0 } = counts;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: five + hour,
    cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour },
  };
}

const openai: fc.Arbitrary<Report> = fc
  .record({ plain: count, read: count, written: count, output: fc.nat(60_000), share: fc.nat(100) })
  .map(({ plain, read, written, output, share }) => {
    const input = plain + read + written;
    return {
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
        completion_tokens_details: { reasoning_tokens: Math.floor((output * share) / 100) },
      },
      parts: [
        [plain, 'input_mtok', ''],
        [read, 'cache_read_mtok', 'input_mtok'],
        [written, 'cache_write_mtok', 'input_mtok'],
        [output, 'output_mtok', ''],
      ],
      context: input,
    };
  });

const gemini: fc.Arbitrary<Report> = fc
  .record({
    text: count,
    audio: count,
    cachedAudio: fc.nat(1000),
    cachedText: fc.nat(1000),
    tool: fc.nat(20_000),
    toolAudio: fc.nat(20_000),
    output: fc.nat(60_000),
    thoughts: fc.nat(30_000),
  })
  .map(({ text, audio, cachedAudio, cachedText, tool, toolAudio, output, thoughts }) => {
    const prompt = text + audio + cachedAudio + cachedText;
    const details = (spoken: number, written: number) => [
      { modality: 'TEXT', tokenCount: written },
      { modality: 'AUDIO', tokenCount: spoken },
    ];
    return {
      usage: {
        promptTokenCount: prompt,
        cachedContentTokenCount: cachedAudio + cachedText,
        toolUsePromptTokenCount: tool + toolAudio,
        candidatesTokenCount: output,
        thoughtsTokenCount: thoughts,
        totalTokenCount: prompt + tool + toolAudio + output + thoughts,
        promptTokensDetails: details(audio + cachedAudio, text + cachedText),
        toolUsePromptTokensDetails: details(toolAudio, tool),
        cacheTokensDetails: details(cachedAudio, cachedText),
      },
      parts: [
        [text + tool, 'input_mtok', ''],
        [audio + toolAudio, 'input_audio_mtok', 'input_mtok'],
        [cachedText, 'cache_read_mtok', 'input_mtok'],
        [cachedAudio, 'cache_audio_read_mtok', 'cache_read_mtok'],
        [output + thoughts, 'output_mtok', ''],
      ],
      context: prompt + tool + toolAudio,
    };
  });

const VENDORS: readonly Vendor[] = [
  {
    name: 'Messages',
    format: 'anthropic',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    reports: anthropic,
    answer: (usage) => ({ type: 'message', content: [{ type: 'text', text: TEXT }], usage }),
    events: ([first, ...others]) => [
      { type: 'message_start', message: { content: [], usage: first } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      ...others.map((usage) => ({ type: 'message_delta', delta: {}, usage })),
      { type: 'message_stop' },
    ],
  },
  {
    name: 'Chat Completions',
    format: 'openai',
    provider: 'openai',
    model: 'gpt-6-sol',
    reports: openai,
    answer: (usage) => ({ choices: [{ index: 0, message: { content: TEXT } }], usage }),
    events: (usages) => [
      { choices: [{ index: 0, delta: { content: TEXT } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ...usages.map((usage) => ({ choices: [], usage })),
    ],
  },
  {
    name: 'Responses',
    format: 'openai',
    provider: 'openai',
    model: 'gpt-6-sol',
    reports: openai.map((report) => ({ ...report, usage: asResponse(report.usage) })),
    answer: (usage) => ({
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }],
      usage,
    }),
    events: (usages) => [
      { type: 'response.output_text.delta', delta: TEXT },
      { type: 'response.completed', response: { status: 'completed', usage: usages.at(-1) } },
    ],
  },
  {
    name: 'generateContent',
    format: 'gemini',
    provider: 'google',
    model: 'gemini-2.5-flash',
    reports: gemini,
    answer: (usageMetadata) => ({
      candidates: [{ content: { parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
    events: (usages) =>
      usages.map((usageMetadata, index) => ({
        candidates: index === 0 ? [{ content: { parts: [{ text: TEXT }] } }] : [],
        usageMetadata,
      })),
  },
];

function asResponse(usage: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(usage).map(([key, value]) => [
      key.replace(/^prompt_/, 'input_').replace(/^completion_/, 'output_'),
      value,
    ]),
  );
}

for (const vendor of VENDORS) {
  const { name, reports } = vendor;

  test(`${name}: a report costs the list price of each of its counts`, () => {
    fc.assert(
      fc.property(reports, (report) => {
        assert.equal(costOf(vendor, readUnary(vendor, report.usage)), listPrice(vendor, report));
      }),
      { numRuns: 200 },
    );
  });

  test(`${name}: reports of a stream that lead to the last one cost as much as the last one`, () => {
    const streams = fc.tuple(reports, fc.array(fc.nat(100), { maxLength: 3 }), fc.boolean());
    fc.assert(
      fc.property(streams, ([report, percents, isRepeated]) => {
        const earlier = percents.map((percent) => scaled(report.usage, percent));
        const last = isRepeated ? [report.usage, report.usage] : [report.usage];
        const usages = [...(earlier.length > 0 ? earlier : [scaled(report.usage, 0)]), ...last];
        assert.equal(costOf(vendor, readStream(vendor, usages)), listPrice(vendor, report));
      }),
      { numRuns: 200 },
    );
  });

  const NO_COUNTS = [undefined, null, '1000', -5, 2e9, {}, []];
  const broken = fc.record({
    report: reports,
    isInputMissing: fc.boolean(),
    value: fc.constantFrom(...NO_COUNTS),
    bodyBytes: fc.nat(400_000),
    answerBytes: fc.nat(100_000),
  });
  for (const isStream of [false, true])
    test(`${name}, ${isStream ? 'streamed' : 'unary'}: a report without a count costs at least the estimate of it`, () => {
      fc.assert(
        fc.property(broken, ({ report, isInputMissing, value, bodyBytes, answerBytes }) => {
          const usage = without(report.usage, isInputMissing ? INPUTS : OUTPUTS, value);
          const read = isStream ? readStream(vendor, [usage, usage]) : readUnary(vendor, usage);
          const charged = chargeAnswer(planOf(bodyBytes, isStream), read, answerBytes);
          assert.ok(charged.isEstimated);
          const estimate = Math.ceil((isInputMissing ? bodyBytes : answerBytes) / 4);
          const key = isInputMissing ? 'input_mtok' : 'output_mtok';
          const least =
            BigInt(estimate) * perMillion(priceOf(vendor.provider, vendor.model), key, '', 0);
          assert.ok(BigInt(costOf(vendor, charged.usage)) >= least / 1_000_000n);
        }),
        { numRuns: 150 },
      );
    });
}

const INPUTS = /^(?:input_tokens|prompt_tokens|promptTokenCount|total.*)$/;
const OUTPUTS =
  /^(?:output_tokens|completion_tokens|candidatesTokenCount|thoughtsTokenCount|total.*)$/;

function without(usage: Record<string, unknown>, names: RegExp, value: unknown) {
  return Object.fromEntries(
    Object.entries(usage).map(([key, each]) => [key, names.test(key) ? value : each]),
  );
}

function planOf(bodyBytes: number, isStream: boolean) {
  const references = {
    isUnbounded: false,
    images: 0,
    mayCacheForAnHour: false,
    hasMedia: false,
    hasAudio: false,
  };
  return {
    body: Buffer.alloc(bodyBytes),
    charge: 'input_and_output',
    isStream,
    operation: 'messages',
    translation: undefined,
    stated: { features: undefined, references },
  } as const;
}

/** An earlier, cumulative report: no count is larger than in the last one. */
function scaled(usage: Record<string, unknown>, percent: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(usage)
      .filter(([, value]) => !Array.isArray(value))
      .map(([key, value]) => {
        if (typeof value === 'number') return [key, Math.floor((value * percent) / 100)];
        return [key, scaled(value as Record<string, unknown>, percent)];
      }),
  );
}

function readUnary({ format, answer }: Vendor, usage: unknown): MeteredUsage | undefined {
  return readUsage(format, Buffer.from(JSON.stringify(answer(usage))));
}

function readStream({ format, events }: Vendor, usages: readonly unknown[]) {
  const reader = createStreamReader(format);
  for (const event of events(usages))
    reader.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return reader.usage();
}

function costOf({ provider, model }: Vendor, usage: MeteredUsage | undefined): number {
  assert.ok(usage);
  return prices.costNanos(provider, model, usage, AT);
}

function listPrice({ provider, model }: Vendor, { parts, tools = [], context }: Report): number {
  const list = priceOf(provider, model);
  const total = parts.reduce((sum, [tokens, key, otherwise]) => {
    return sum + BigInt(tokens) * perMillion(list, key, otherwise, context);
  }, 0n);
  const used = tools.reduce((sum, [uses, key]) => sum + uses * perUse(list, key), 0);
  return Number((total + 999_999n) / 1_000_000n) + used;
}
