import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { LIMIT_FIELDS, type LimitProblem, readLimits, type StatedLimits } from './output-limits.ts';
import { peekFields } from './peek-fields.ts';

function limits(format: ProviderFormat, request: unknown): StatedLimits | LimitProblem {
  const body = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request));
  const peeked = peekFields(body, LIMIT_FIELDS[format]);
  assert.ok(peeked.ok);
  return readLimits(format, body, peeked.fields);
}

function output(format: ProviderFormat, request: unknown): [number | undefined, number] | string {
  const stated = limits(format, request);
  return stated.ok ? [stated.maxOutputTokens, stated.answers] : stated.field;
}

test('the output limit is read from the fields of each format', () => {
  assert.deepEqual(output('anthropic', { max_tokens: 1024 }), [1024, 1]);
  assert.deepEqual(output('openai', { max_tokens: 100 }), [100, 1]);
  assert.deepEqual(output('openai', { max_completion_tokens: 200, n: 3 }), [200, 3]);
  assert.deepEqual(output('openai', { max_output_tokens: 300 }), [300, 1]);
  assert.deepEqual(
    output('gemini', { generationConfig: { maxOutputTokens: 400, candidateCount: 2 } }),
    [400, 2],
  );
  assert.deepEqual(
    output('gemini', { generation_config: { max_output_tokens: 500, candidate_count: 4 } }),
    [500, 4],
  );
});

test('a missing or null limit is undefined', () => {
  assert.deepEqual(output('openai', {}), [undefined, 1]);
  assert.deepEqual(output('openai', { max_tokens: null, n: null }), [undefined, 1]);
  assert.deepEqual(output('gemini', { generationConfig: null }), [undefined, 1]);
  assert.deepEqual(output('gemini', { generationConfig: { temperature: 1 } }), [undefined, 1]);
  assert.deepEqual(output('openai', { metadata: { max_tokens: 5 } }), [undefined, 1]);
});

test('the largest of several maxima counts', () => {
  assert.deepEqual(output('openai', { max_tokens: 1, max_completion_tokens: 9000 }), [9000, 1]);
  assert.deepEqual(
    output('gemini', {
      generationConfig: { maxOutputTokens: 1, max_output_tokens: 7 },
      generation_config: { maxOutputTokens: 5000, candidateCount: 2 },
    }),
    [5000, 2],
  );
});

test('a number in quotes or with an exponent is accepted', () => {
  assert.deepEqual(output('gemini', { generationConfig: { maxOutputTokens: '77' } }), [77, 1]);
  assert.deepEqual(output('openai', '{"max_tokens":1e3,"n":2.0}'), [1000, 2]);
});

test('an unreadable limit is a problem that names its field', () => {
  assert.equal(output('openai', { n: '5.5' }), 'n');
  assert.equal(output('openai', { n: [5] }), 'n');
  assert.equal(output('anthropic', { max_tokens: -1 }), 'max_tokens');
  assert.equal(output('anthropic', { max_tokens: 1.5 }), 'max_tokens');
  assert.equal(output('gemini', { generationConfig: 'x' }), 'generationConfig');
  assert.equal(
    output('gemini', '{"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9}}'),
    'generationConfig',
  );
  assert.equal(
    output('gemini', { generationConfig: { candidateCount: true } }),
    'generationConfig.candidateCount',
  );
});

test('tools and the one-hour cache are reported', () => {
  const request = {
    tools: [{ name: 't' }],
    system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  };
  const stated = limits('anthropic', request);
  assert.ok(stated.ok && stated.hasTools && stated.mayCacheForAnHour);
  const plain = limits('anthropic', { max_tokens: 1 });
  assert.ok(plain.ok && !plain.hasTools && !plain.mayCacheForAnHour);
});
