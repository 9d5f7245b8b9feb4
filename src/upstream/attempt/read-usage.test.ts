import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PROVIDER_FORMATS, type ProviderFormat } from '../../kernel/provider-format.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { readModel, readUsage } from './read-usage.ts';

function usage(format: ProviderFormat, answer: unknown): Usage | undefined {
  return readUsage(format, Buffer.from(JSON.stringify(answer)));
}

function tokens(parts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...parts };
}

test('Messages: cached tokens are separate from the input, and writes are split by lifetime', () => {
  const answer = {
    id: 'msg_1',
    model: 'claude-sonnet-4-20250514',
    content: [{ type: 'text', text: 'the "usage":{"input_tokens":9} of a text is no usage' }],
    usage: {
      input_tokens: 12,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 2000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 45,
      service_tier: 'standard',
    },
  };
  assert.deepEqual(usage('anthropic', answer), {
    ...tokens({
      inputTokens: 12,
      outputTokens: 45,
      cacheReadTokens: 2000,
      cacheWriteTokens: 100,
      cacheWrite1hTokens: 200,
    }),
    tiers: { service_tier: 'standard' },
  });
});

test('Messages: cache writes without a split are five-minute writes that lack their lifetimes', () => {
  const answer = {
    usage: {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: null,
      cache_creation: null,
    },
  };
  assert.deepEqual(usage('anthropic', answer), {
    ...tokens({ inputTokens: 1, outputTokens: 2, cacheWriteTokens: 30 }),
    lacksLifetimes: true,
  });
});

test('Chat Completions: cached tokens are subtracted from the prompt, reasoning stays in the output', () => {
  const answer = {
    model: 'gpt-5-2025-08-07',
    usage: {
      prompt_tokens: 1200,
      completion_tokens: 300,
      total_tokens: 1500,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 256 },
    },
  };
  assert.deepEqual(
    usage('openai', answer),
    tokens({ inputTokens: 176, outputTokens: 300, cacheReadTokens: 1024, reasoningTokens: 256 }),
  );
});

test('Chat Completions: reasoning reported beside the output is added to it', () => {
  const answer = {
    usage: {
      prompt_tokens: 10,
      completion_tokens: 20,
      total_tokens: 130,
      completion_tokens_details: { reasoning_tokens: 100 },
    },
  };
  assert.deepEqual(
    usage('openai', answer),
    tokens({ inputTokens: 10, outputTokens: 120, reasoningTokens: 100 }),
  );
});

test('Responses: usage is read from its own field names', () => {
  const answer = {
    object: 'response',
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 64, cache_write_tokens: 16 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 150,
    },
  };
  assert.deepEqual(
    usage('openai', answer),
    tokens({
      inputTokens: 20,
      outputTokens: 50,
      cacheReadTokens: 64,
      cacheWriteTokens: 16,
      reasoningTokens: 10,
    }),
  );
});

test('Embeddings: usage has input only', () => {
  const answer = { data: [], usage: { prompt_tokens: 8, total_tokens: 8 } };
  assert.deepEqual(usage('openai', answer), tokens({ inputTokens: 8 }));
});

test('generateContent: cached tokens are subtracted, thoughts and tool prompts are added', () => {
  const answer = {
    modelVersion: 'gemini-2.5-pro',
    usageMetadata: {
      promptTokenCount: 1000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 70,
      thoughtsTokenCount: 30,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 1105,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
    },
  };
  assert.deepEqual(
    usage('gemini', answer),
    tokens({ inputTokens: 405, outputTokens: 100, cacheReadTokens: 600, reasoningTokens: 30 }),
  );
});

test('a token count, an error and a malformed body have no usage', () => {
  assert.equal(usage('anthropic', { input_tokens: 14 }), undefined);
  assert.equal(usage('gemini', { totalTokens: 31 }), undefined);
  assert.equal(usage('openai', { usage: null }), undefined);
  assert.equal(usage('openai', { usage: [1] }), undefined);
  assert.equal(usage('openai', { usage: {} }), undefined);
  assert.equal(usage('openai', { error: { message: 'no' } }), undefined);
  assert.equal(readUsage('openai', Buffer.from('{"usage":{"prompt_tokens":1}')), undefined);
  assert.equal(readUsage('openai', Buffer.from('{"usage":{"prompt_tokens":1}]')), undefined);
  assert.equal(readUsage('openai', Buffer.from('{"usage":{"prompt_tokens":1}} x')), undefined);
  assert.equal(readUsage('openai', Buffer.from('{"usage":{"prompt_tokens":oops}}')), undefined);
  assert.equal(readUsage('gemini', Buffer.from('<html>')), undefined);
  assert.equal(readUsage('anthropic', Buffer.alloc(0)), undefined);
});

test('invalid counts are ignored, and cached tokens never exceed the prompt', () => {
  assert.deepEqual(
    usage('openai', {
      usage: {
        prompt_tokens: 10,
        completion_tokens: -5,
        prompt_tokens_details: { cached_tokens: 99 },
        completion_tokens_details: { reasoning_tokens: 'many' },
      },
    }),
    tokens({ cacheReadTokens: 10 }),
  );
  assert.equal(
    usage('anthropic', { usage: { input_tokens: '7', output_tokens: 1e30 } }),
    undefined,
  );
});

test('only the top-level usage counts, at any position', () => {
  const real = { input_tokens: 5, output_tokens: 6 };
  const expected = tokens({ inputTokens: 5, outputTokens: 6 });
  const decoy = { usage: { input_tokens: 999, output_tokens: 999 } };
  assert.deepEqual(usage('anthropic', { content: [{ input: decoy }], usage: real }), expected);
  assert.deepEqual(usage('anthropic', { usage: real, content: [{ input: decoy }] }), expected);
  assert.deepEqual(usage('anthropic', { usage: real, metadata: decoy, tier: null }), expected);
  assert.deepEqual(usage('anthropic', { usage: real, text: 'he said "usage": {' }), expected);
  assert.deepEqual(usage('anthropic', { usage: real, text: 'he said "usage' }), expected);
  assert.deepEqual(usage('anthropic', { usage: real, list: ['usage', { deep: [[]] }] }), expected);
  assert.equal(usage('anthropic', { content: [{ input: decoy }] }), undefined);
  assert.equal(usage('anthropic', [decoy]), undefined);
  const spaced = Buffer.from(JSON.stringify({ usage: real, model: 'm' }, null, 2));
  assert.deepEqual(readUsage('anthropic', spaced), expected);
});

test('a missing output count is missing only if the answer has content', () => {
  const missing = (format: ProviderFormat, answer: object) =>
    readUsage(format, Buffer.from(JSON.stringify(answer)))?.missing;
  const usage = { input_tokens: 10, output_tokens: 'x' };
  const open = { input: false, output: true };
  assert.deepEqual(missing('anthropic', { content: [{ type: 'text', text: 'a' }], usage }), open);
  assert.deepEqual(
    missing('anthropic', { content: [{ type: 'tool_use', input: {} }], usage }),
    open,
  );
  assert.equal(missing('anthropic', { content: [], usage: { input_tokens: 10 } }), undefined);
  const vectors = { data: [{ embedding: [1, 2], text: 'a' }], usage: { prompt_tokens: 2 } };
  assert.equal(missing('openai', vectors), undefined);
});

test('metadata of the request that a response repeats is not its tier', () => {
  const metadata = { service_tier: 'default' };
  const counts = { input_tokens: 1, output_tokens: 1 };
  for (const answer of [
    { service_tier: 'priority', usage: counts, metadata },
    { metadata, usage: counts, service_tier: 'priority' },
  ])
    assert.deepEqual(readUsage('openai', Buffer.from(JSON.stringify(answer)))?.tiers, {
      service_tier: 'priority',
    });
  assert.equal(
    readUsage('openai', Buffer.from(JSON.stringify({ usage: counts, metadata })))?.tiers,
    undefined,
  );
});

test('readModel gives the model that served', () => {
  assert.equal(readModel('anthropic', Buffer.from('{"model":"claude-x"}')), 'claude-x');
  assert.equal(readModel('gemini', Buffer.from('{"modelVersion":"gemini-x"}')), 'gemini-x');
  assert.equal(readModel('openai', Buffer.from('{"model":7}')), undefined);
  assert.equal(readModel('openai', Buffer.from('{"a":{"model":"inner"}}')), undefined);
  assert.equal(readModel('openai', Buffer.from('{"model":"cut')), undefined);
});

test('every count of any usage object is a natural number', () => {
  const name = fc.constantFrom(
    ...'input_tokens output_tokens prompt_tokens completion_tokens total_tokens'.split(' '),
    ...'cache_creation_input_tokens cache_read_input_tokens promptTokenCount'.split(' '),
    ...'candidatesTokenCount thoughtsTokenCount cachedContentTokenCount'.split(' '),
  );
  const details = fc.dictionary(
    fc.constantFrom('cached_tokens', 'reasoning_tokens', 'ephemeral_1h_input_tokens'),
    fc.oneof(fc.integer(), fc.double(), fc.constant(null)),
  );
  const parts = fc.record({
    counts: fc.dictionary(name, fc.oneof(fc.nat(), fc.double(), fc.string(), fc.constant(null))),
    nested: fc.dictionary(
      fc.constantFrom('prompt_tokens_details', 'cache_creation', 'completion_tokens_details'),
      fc.oneof(details, fc.jsonValue()),
    ),
  });
  fc.assert(
    fc.property(parts, fc.constantFrom(...PROVIDER_FORMATS), ({ counts, nested }, format) => {
      const object = { ...counts, ...nested };
      const seen = usage(format, { usage: object, usageMetadata: object });
      if (!seen) return;
      const others = { missing: undefined, lacksLifetimes: undefined };
      const { missing: _, lacksLifetimes: __, ...counted } = { ...others, ...seen };
      for (const count of Object.values(counted))
        assert.ok(Number.isSafeInteger(count) && count >= 0);
    }),
    { numRuns: 2000 },
  );
});
