// The calls of costs.test.ts: the usage that the simulator reports for each, and the expected cost in nanodollars with its
// arithmetic. A table of data: no number is computed by the program under test.
//
// Prices in nano-dollars per token, as the pinned list of prices has them:
//   claude-sonnet-4-5   input 3000  output 15000  cache read 300  write 3750  write for an hour 6000
//     above 200,000     input 6000  output 22500  cache read 600  write 7500  write for an hour 12000
//   gpt-4o              input 2500  output 10000  cache read 1250
//   gemini-2.5-pro      input 1250  output 10000  cache read 125
//     above 200,000     input 2500  output 15000  cache read 250
//   text-embedding-3-small 20, gemini-embedding-001 150, claude-haiku-4 250 / 1250

export type Format = 'anthropic' | 'openai' | 'gemini';

/** The expected columns of the stored record. */
export type Stored = {
  readonly status: string;
  readonly streamed: number;
  readonly estimated: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_nanos: number;
};

export const NOTHING: Stored = {
  status: 'OK',
  streamed: 0,
  estimated: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  cost_nanos: 0,
};

export type Case = {
  readonly name: string;
  readonly format: Format;
  readonly scenario: object;
  readonly expected: Partial<Stored>;
  /** Whole and streamed calls cost the same; a case with `stream` is only streamed. */
  readonly ways?: readonly boolean[];
};

export const BOTH = [false, true];
const STREAM = [true];

/** The length of every request body: the estimate of its input is 400 ÷ 4 = 100 tokens. */
export const BODY_BYTES = 400;

/** Ten pieces of 40 bytes are 100 tokens; a stream that ends after five has 200 ÷ 4 = 50 tokens. */
export const PIECES = { text: '~'.repeat(400), chunkBytes: 40 };
export const HALF_OF_IT = { ...PIECES, afterChunks: 5, chunkDelayMs: 5 };

export const CASES: readonly Case[] = [
  {
    name: 'plain tokens',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 1000, outputTokens: 200 } },
    // 1000 × 3000 + 200 × 15000 = 3,000,000 + 3,000,000
    expected: { input_tokens: 1000, output_tokens: 200, cost_nanos: 6_000_000 },
    ways: BOTH,
  },
  {
    name: 'cache read, written for five minutes and for an hour',
    format: 'anthropic',
    scenario: {
      usage: {
        inputTokens: 10_000,
        cacheReadTokens: 6000,
        cacheWriteTokens: 3000,
        cacheWrite1hTokens: 1000,
        outputTokens: 100,
      },
    },
    // 1000 × 3000 + 6000 × 300 + 2000 × 3750 + 1000 × 6000 + 100 × 15000
    // = 3,000,000 + 1,800,000 + 7,500,000 + 6,000,000 + 1,500,000
    expected: {
      input_tokens: 1000,
      cache_read_tokens: 6000,
      cache_write_tokens: 2000,
      cache_write_1h_tokens: 1000,
      output_tokens: 100,
      cost_nanos: 19_800_000,
    },
    ways: BOTH,
  },
  {
    name: 'a long context, to which the cached part counts',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 200_001, cacheReadTokens: 100_000, outputTokens: 10 } },
    // 100,001 × 6000 + 100,000 × 600 + 10 × 22500 = 600,006,000 + 60,000,000 + 225,000
    expected: {
      input_tokens: 100_001,
      cache_read_tokens: 100_000,
      output_tokens: 10,
      cost_nanos: 660_231_000,
    },
    ways: BOTH,
  },
  {
    name: 'one token less than a long context',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 200_000, cacheReadTokens: 100_000, outputTokens: 10 } },
    // 100,000 × 3000 + 100,000 × 300 + 10 × 15000 = 300,000,000 + 30,000,000 + 150,000
    expected: {
      input_tokens: 100_000,
      cache_read_tokens: 100_000,
      output_tokens: 10,
      cost_nanos: 330_150_000,
    },
    ways: BOTH,
  },
  {
    name: 'cached input and reasoning',
    format: 'openai',
    scenario: {
      usage: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 300, thinkingTokens: 100 },
    },
    // 600 × 2500 + 400 × 1250 + 300 × 10000, reasoning being a part of the 300
    // = 1,500,000 + 500,000 + 3,000,000
    expected: {
      input_tokens: 600,
      cache_read_tokens: 400,
      output_tokens: 300,
      reasoning_tokens: 100,
      cost_nanos: 5_000_000,
    },
    ways: BOTH,
  },
  {
    name: 'cached input and thoughts, which come on top of the answer',
    format: 'gemini',
    scenario: {
      usage: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 300, thinkingTokens: 100 },
    },
    // 600 × 1250 + 400 × 125 + (200 + 100) × 10000 = 750,000 + 50,000 + 3,000,000
    expected: {
      input_tokens: 600,
      cache_read_tokens: 400,
      output_tokens: 300,
      reasoning_tokens: 100,
      cost_nanos: 3_800_000,
    },
    ways: BOTH,
  },
  {
    name: 'a long context',
    format: 'gemini',
    scenario: { usage: { inputTokens: 300_000, cacheReadTokens: 100_000, outputTokens: 1000 } },
    // 200,000 × 2500 + 100,000 × 250 + 1000 × 15000 = 500,000,000 + 25,000,000 + 15,000,000
    expected: {
      input_tokens: 200_000,
      cache_read_tokens: 100_000,
      output_tokens: 1000,
      cost_nanos: 540_000_000,
    },
    ways: BOTH,
  },
  {
    name: 'interrupted: the input was reported, the output is estimated',
    format: 'anthropic',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 1000 × 3000 + 50 × 15000 = 3,000,000 + 750,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 1000,
      output_tokens: 50,
      cost_nanos: 3_750_000,
    },
    ways: STREAM,
  },
  {
    name: 'interrupted: no usage was reported, both are estimated',
    format: 'openai',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 100 × 2500 + 50 × 10000 = 250,000 + 500,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 100,
      output_tokens: 50,
      cost_nanos: 750_000,
    },
    ways: STREAM,
  },
  {
    name: 'interrupted: the input was reported, the output is estimated',
    format: 'gemini',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 1000 × 1250 + 50 × 10000 = 1,250,000 + 500,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 1000,
      output_tokens: 50,
      cost_nanos: 1_750_000,
    },
    ways: STREAM,
  },
  ...(['anthropic', 'openai', 'gemini'] as const).map((format) => ({
    name: 'a call that the provider failed costs nothing',
    format,
    scenario: { preset: 'server-error' },
    expected: { status: 'PROVIDER_UNAVAILABLE' },
    ways: BOTH,
  })),
];

export const ENDPOINTS: Readonly<
  Record<Format, { path(isStream: boolean): string; body(isStream: boolean, fill: string): object }>
> = {
  anthropic: {
    path: () => '/v1/messages',
    body: (stream, content) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content }],
    }),
  },
  openai: {
    path: () => '/v1/chat/completions',
    body: (stream, content) => ({
      model: 'gpt-4o',
      max_tokens: 1000,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content }],
    }),
  },
  gemini: {
    path: (isStream) =>
      `/v1beta/models/gemini-2.5-pro:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

export function bodyOf(format: Format, isStream: boolean): string {
  const bare = JSON.stringify(ENDPOINTS[format].body(isStream, '')).length;
  return JSON.stringify(ENDPOINTS[format].body(isStream, 'y'.repeat(BODY_BYTES - bare)));
}
