import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { type CallerRetries, createCallerRetries, type RetryingCaller } from './caller-retries.ts';

function caller(
  headers: Record<string, string> = {},
  body = '{"model":"m"}',
  keyId = 'key-1',
): RetryingCaller {
  return { headers, url: '/v1/messages', body: Buffer.from(body), principal: { keyId } };
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

function maxRetriesOf(retries: CallerRetries, of: RetryingCaller): number {
  return retries.boundsOf(of).maxRetries ?? UNBOUNDED;
}

test('a caller without retries of its own is retried for as the rules say', () => {
  const retries = createCallerRetries(createTestClock());
  assert.equal(maxRetriesOf(retries, caller()), UNBOUNDED);
  assert.equal(maxRetriesOf(retries, caller({ 'user-agent': 'curl/8.5.0' })), UNBOUNDED);
});

test('an SDK gets as many retries as it makes itself, and none for its repeats', () => {
  const retries = createCallerRetries(createTestClock());
  assert.equal(maxRetriesOf(retries, caller({ 'x-stainless-retry-count': '0' })), 2);
  assert.equal(maxRetriesOf(retries, caller({ 'x-stainless-retry-count': '1' })), 0);
  assert.equal(maxRetriesOf(retries, caller({ 'x-stainless-retry-count': 'many' })), 2);
});

test('an SDK that makes a single attempt gets one retry and at most 2.5 s of delays', () => {
  const retries = createCallerRetries(createTestClock());
  for (const client of ['google-genai-sdk/2.32.0 gl-node/v26.10.0', 'litellm/1.106.2'])
    assert.deepEqual(retries.boundsOf(caller({ 'user-agent': client })), {
      maxRetries: 1,
      maxWaitMs: 2500,
      maxBaseMs: 1000,
    });
});

test('an agent that retries by itself gets one attempt', () => {
  const retries = createCallerRetries(createTestClock());
  for (const agent of [
    'claude-cli/2.0.14 (external, cli)',
    'codex_cli_rs/0.46.0 (Linux 6.1; x86_64) xterm',
    'codex-tui/1.0',
    'GeminiCLI/0.9.0/gemini-2.5-pro (linux; x64)',
    'opencode/0.15.2',
    'ai/5.0.60 ai-sdk/openai-compatible/1.0.18 runtime/node.js/22',
  ])
    assert.equal(maxRetriesOf(retries, caller({ 'user-agent': agent })), 0, agent);
});

test('the same bytes of the same key are a repeat for two minutes after retries were used up', async () => {
  const clock = createTestClock();
  const retries = createCallerRetries(clock);
  retries.failed(caller(), 1);
  assert.equal(maxRetriesOf(retries, caller()), 0);
  assert.equal(maxRetriesOf(retries, caller({}, '{"model":"n"}')), UNBOUNDED);
  assert.equal(maxRetriesOf(retries, caller({}, undefined, 'key-2')), UNBOUNDED);
  await clock.advance(119_000);
  assert.equal(maxRetriesOf(retries, caller()), 0);
  await clock.advance(2000);
  assert.equal(maxRetriesOf(retries, caller()), UNBOUNDED);
});

test('each failed repeat extends the two minutes', async () => {
  const clock = createTestClock();
  const retries = createCallerRetries(clock);
  for (let round = 0; round < 5; round += 1) {
    retries.failed(caller(), round === 0 ? 3 : 0);
    await clock.advance(100_000);
    assert.equal(maxRetriesOf(retries, caller()), 0);
  }
});

test('a failure without retries makes no repeat of its next copy', () => {
  const retries = createCallerRetries(createTestClock());
  retries.failed(caller(), 0);
  assert.equal(maxRetriesOf(retries, caller()), UNBOUNDED);
});

test('the memory of failed requests is bounded and forgets the oldest first', () => {
  const retries = createCallerRetries(createTestClock());
  for (let index = 0; index <= 10_000; index += 1) retries.failed(caller({}, String(index)), 1);
  assert.equal(maxRetriesOf(retries, caller({}, '0')), UNBOUNDED);
  assert.equal(maxRetriesOf(retries, caller({}, '1')), 0);
  assert.equal(maxRetriesOf(retries, caller({}, '10000')), 0);
});
