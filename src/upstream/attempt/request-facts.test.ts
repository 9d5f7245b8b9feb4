import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongContext, requestFacts, requestTokensOf } from './request-facts.ts';

for (const field of ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'])
  test(`a request's tokens are its bytes and its ${field}`, () => {
    const body = Buffer.from(JSON.stringify({ [field]: 5000, prompt: 'x'.repeat(4000) }));
    const tokens = requestTokensOf(body);
    assert.ok(tokens > 9000 && tokens < 9100, String(tokens));
  });

test('the maximum counts for each answer, and under an escaped name', () => {
  const body = '{"max\\u005ftokens":5000,"n":4}';
  assert.equal(requestTokensOf(Buffer.from(body)), 20_000 + body.length);
});

for (const source of [
  { image_url: { url: 'https://x/y.png' } },
  { source: { type: 'url', url: 'http://x/y.pdf' } },
  { fileData: { fileUri: 'https://x/y.mp4' } },
])
  test(`the tokens of linked media are unbounded: ${JSON.stringify(source)}`, () => {
    assert.equal(requestTokensOf(Buffer.from(JSON.stringify(source))), Number.POSITIVE_INFINITY);
  });

test('a link in a prompt or a schema is no media', () => {
  const body = JSON.stringify({ $schema: 'http://x/y', prompt: '"url":"https://x"' });
  assert.equal(requestTokensOf(Buffer.from(body)), body.length);
});

test('a maximum that a prompt quotes is not counted', () => {
  const body = Buffer.from(JSON.stringify({ prompt: JSON.stringify({ max_tokens: 5000 }) }));
  assert.equal(requestTokensOf(body), body.length);
});

test('a long context is a body of more than 200,000 bytes under the beta of a million tokens', () => {
  const beta = [
    'content-type',
    'application/json',
    'anthropic-beta',
    'effort,context-1m-2025-08-07',
  ];
  const long = Buffer.alloc(200_001);
  assert.ok(isLongContext({ headers: beta, body: long }));
  assert.ok(!isLongContext({ headers: beta, body: Buffer.alloc(200_000) }));
  assert.ok(!isLongContext({ headers: ['anthropic-beta', 'effort'], body: long }));
  assert.ok(!isLongContext({ headers: [], body: long }));
  const linked = Buffer.from('{"url":"https://x/y.pdf"}');
  for (const [body, isLong] of [
    [long, true],
    [linked, true],
    [Buffer.from('{}'), false],
  ] as const) {
    const call = { path: '/v1/messages', body };
    assert.equal(requestFacts({ ...call, headers: beta }).isLongContext, isLong);
    assert.equal(requestFacts({ ...call, headers: [] }).isLongContext, false);
  }
});
