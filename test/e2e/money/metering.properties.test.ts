// For every format, unary and streamed, and any combination of the dimensions that the price list knows: the charge is the
// list price of what the provider reported, and without a report at least the estimate. The expected price is computed
// here from the package's own numbers, in whole nanodollars.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { chargeAnswer } from '../../../src/flow/call/charge/charge-attempt.ts';
import type { ProviderFormat } from '../../../src/kernel/provider-format.ts';
import { createPriceBook } from '../../../src/metering/prices/price-book.ts';
import { type Answer, PLAIN_PARTS, type Usage } from '../../../src/simulator/answers.ts';
import { anthropicFormat } from '../../../src/simulator/formats/anthropic/format.ts';
import { geminiFormat } from '../../../src/simulator/formats/gemini/format.ts';
import { openaiChatFormat } from '../../../src/simulator/formats/openai/format-chat.ts';
import { openaiResponsesFormat } from '../../../src/simulator/formats/openai/format-responses.ts';
import type { WireFormat } from '../../../src/simulator/formats/wire-format.ts';
import type { ModelRequest } from '../../../src/simulator/model-request.ts';
import { readUsage } from '../../../src/upstream/attempt/read-usage.ts';
import { createStreamReader } from '../../../src/upstream/streams/reader.ts';
import { perMillion, perUse, priceOf } from './list-prices.ts';

const AT = Date.parse('2026-10-01T12:00:00Z');
const TIERS = { priority: 2, flex: 0.5 };
const prices = createPriceBook({ features: { tiers: TIERS } });

type Subject = {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly provider: string;
  readonly model: string;
  readonly wire: WireFormat;
  /** The dimensions that the format reports. */
  readonly reports: readonly (keyof Usage)[];
};

const SUBJECTS: readonly Subject[] = [
  {
    name: 'Messages',
    format: 'anthropic',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    wire: anthropicFormat,
    reports: ['cacheWriteTokens', 'cacheWrite1hTokens', 'webSearches', 'serviceTier'],
  },
  {
    name: 'Chat Completions',
    format: 'openai',
    provider: 'openai',
    model: 'gpt-audio',
    wire: openaiChatFormat,
    reports: ['audioInputTokens', 'audioOutputTokens', 'serviceTier'],
  },
  {
    name: 'Responses',
    format: 'openai',
    provider: 'openai',
    model: 'gpt-4.1',
    wire: openaiResponsesFormat,
    reports: ['webSearches', 'fileSearches', 'serviceTier'],
  },
  {
    name: 'generateContent',
    format: 'gemini',
    provider: 'google',
    model: 'gemini-2.5-flash',
    wire: geminiFormat,
    reports: ['audioInputTokens', 'serviceTier'],
  },
];

/** Parts are drawn as shares of the whole, so that they always fit. */
const usages = fc
  .record({
    inputTokens: fc.nat(400_000),
    // A Messages stream begins with one output token.
    outputTokens: fc.integer({ min: 1, max: 50_000 }),
    shares: fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100)),
    webSearches: fc.nat(5),
    fileSearches: fc.nat(5),
    serviceTier: fc.constantFrom(undefined, 'priority', 'flex'),
  })
  .map(({ inputTokens, outputTokens, shares, ...rest }): Usage => {
    const [read, write, hour, audio, thinking, spoken] = shares;
    const cacheReadTokens = share(inputTokens, read);
    const cacheWriteTokens = share(inputTokens - cacheReadTokens, write);
    const plain = inputTokens - cacheReadTokens - cacheWriteTokens;
    const thinkingTokens = share(outputTokens, thinking);
    return {
      ...PLAIN_PARTS,
      ...rest,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens: share(cacheWriteTokens, hour),
      thinkingTokens,
      audioInputTokens: share(plain, audio),
      audioOutputTokens: share(outputTokens - thinkingTokens, spoken),
    };
  });

const PARTS = [
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'audioInputTokens',
  'audioOutputTokens',
  'webSearches',
  'fileSearches',
] as const;

for (const subject of SUBJECTS)
  for (const isStream of [false, true])
    test(`${subject.name}, ${isStream ? 'streamed' : 'unary'}: the charge is the list price of the report`, () => {
      fc.assert(
        fc.property(usages, (drawn) => {
          const usage = asReported(drawn, subject);
          const answer = answerOf(subject.model, usage);
          const read = isStream ? readStream(subject, answer) : readUnary(subject, answer);
          assert.ok(read);
          const cost = prices.costNanos(subject.provider, subject.model, read, AT);
          assert.equal(cost, listPrice(subject, usage));
        }),
        { numRuns: 150 },
      );
    });

test('without a report the charge is never less than the estimate', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), fc.boolean(), (input, output, isStream) => {
      const references = {
        isUnbounded: false,
        images: 0,
        mayCacheForAnHour: false,
        hasMedia: false,
        hasAudio: false,
      };
      const stated = { features: undefined, references };
      const plan = {
        body: Buffer.alloc(input),
        charge: 'input_and_output',
        isStream,
        operation: 'messages',
        translation: undefined,
        stated,
      } as const;
      const { usage, isEstimated } = chargeAnswer(plan, undefined, output);
      assert.ok(isEstimated);
      assert.equal(usage.inputTokens, Math.ceil(input / 4));
      assert.equal(usage.outputTokens, Math.ceil(output / 4));
    }),
  );
});

function share(whole: number, percent: number): number {
  return Math.floor((whole * percent) / 100);
}

/** A dimension that the format does not report does not exist for it. */
function asReported(drawn: Usage, { reports }: Subject): Usage {
  const absent = PARTS.filter((part) => !reports.includes(part)).map((part) => [part, 0]);
  const tier = reports.includes('serviceTier') ? {} : { serviceTier: undefined };
  return { ...drawn, ...Object.fromEntries(absent), ...tier };
}

function answerOf(model: string, usage: Usage): Answer {
  return {
    id: 'a',
    model,
    createdAt: AT,
    thinking: '',
    text: 'Hello',
    toolCalls: [],
    stopReason: 'end',
    stopSequence: undefined,
    usage,
  };
}

function readUnary({ format, wire }: Subject, answer: Answer) {
  return readUsage(format, Buffer.from(JSON.stringify(wire.unary(answer))));
}

function readStream({ format, wire }: Subject, answer: Answer) {
  const reader = createStreamReader(format);
  const piece = { kind: 'text', delta: 'Hello', bytes: 5 } as const;
  const request = { wantsStreamUsage: true } as ModelRequest;
  for (const { name, data } of wire.events(answer, [piece], request)) {
    const head = name === undefined ? '' : `event: ${name}\n`;
    reader.push(Buffer.from(`${head}data: ${data}\n\n`));
  }
  return reader.usage();
}

function listPrice({ provider, model }: Subject, usage: Usage): number {
  const list = priceOf(provider, model);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  const { outputTokens, audioInputTokens, audioOutputTokens } = usage;
  const at = (key: string, otherwise: string) => perMillion(list, key, otherwise, inputTokens);
  const text = inputTokens - cacheReadTokens - cacheWriteTokens - audioInputTokens;
  const total =
    BigInt(text) * at('input_mtok', '') +
    BigInt(audioInputTokens) * at('input_audio_mtok', 'input_mtok') +
    BigInt(cacheReadTokens) * at('cache_read_mtok', 'input_mtok') +
    BigInt(cacheWriteTokens - cacheWrite1hTokens) * at('cache_write_mtok', 'input_mtok') +
    BigInt(cacheWrite1hTokens) * at('cache_write_1h_mtok', 'input_mtok') +
    BigInt(outputTokens - audioOutputTokens) * at('output_mtok', '') +
    BigInt(audioOutputTokens) * at('output_audio_mtok', 'output_mtok');
  const tokens = (total + 999_999n) / 1_000_000n;
  const thousandths = usage.serviceTier === 'priority' ? 2000n : usage.serviceTier ? 500n : 1000n;
  const tools =
    usage.webSearches * perUse(list, 'web_searches_kcount') +
    usage.fileSearches * perUse(list, 'storage_searches_kcount');
  return Number((tokens * thousandths + 999n) / 1000n) + tools;
}
