import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createCallerRetries, type RetryingCaller } from './caller-retries.ts';

function caller(
  headers: Record<string, string> = {},
  body = '{"model":"m"}',
  keyId = 'key-1',
): RetryingCaller {
  return { headers, url: '/v1/messages', body: Buffer.from(body), principal: { keyId } };
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

test('a caller without retries of its own is retried for as the rules say', () => {
  const retries = createCallerRetries(createTestClock());
  assert.equal(retries.maxRetriesOf(caller()), UNBOUNDED);
  assert.equal(retries.maxRetriesOf(caller({ 'user-agent': 'curl/8.5.0' })), UNBOUNDED);
});

test('an SDK gets as many retries as it makes itself, and none for its repeats', () => {
  const retries = createCallerRetries(createTestClock());
  assert.equal(retries.maxRetriesOf(caller({ 'x-stainless-retry-count': '0' })), 2);
  assert.equal(retries.maxRetriesOf(caller({ 'x-stainless-retry-count': '1' })), 0);
  assert.equal(retries.maxRetriesOf(caller({ 'x-stainless-retry-count': 'many' })), 2);
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
    assert.equal(retries.maxRetriesOf(caller({ 'user-agent': agent })), 0, agent);
});

test('the same bytes of the same key are a repeat for two minutes after retries were used up', async () => {
  const clock = createTestClock();
  const retries = createCallerRetries(clock);
  retries.failed(caller(), 1);
  assert.equal(retries.maxRetriesOf(caller()), 0);
  assert.equal(retries.maxRetriesOf(caller({}, '{"model":"n"}')), UNBOUNDED);
  assert.equal(retries.maxRetriesOf(caller({}, undefined, 'key-2')), UNBOUNDED);
  await clock.advance(119_000);
  assert.equal(retries.maxRetriesOf(caller()), 0);
  await clock.advance(2000);
  assert.equal(retries.maxRetriesOf(caller()), UNBOUNDED);
});

test('each failed repeat extends the two minutes', async () => {
  const clock = createTestClock();
  const retries = createCallerRetries(clock);
  for (let round = 0; round < 5; round += 1) {
    retries.failed(caller(), round === 0 ? 3 : 0);
    await clock.advance(100_000);
    assert.equal(retries.maxRetriesOf(caller()), 0);
  }
});

test('a failure without retries makes no repeat of its next copy', () => {
  const retries = createCallerRetries(createTestClock());
  retries.failed(caller(), 0);
  assert.equal(retries.maxRetriesOf(caller()), UNBOUNDED);
});

test('the memory of failed requests is bounded and forgets the oldest first', () => {
  const retries = createCallerRetries(createTestClock());
  for (let index = 0; index <= 10_000; index += 1) retries.failed(caller({}, String(index)), 1);
  assert.equal(retries.maxRetriesOf(caller({}, '0')), UNBOUNDED);
  assert.equal(retries.maxRetriesOf(caller({}, '1')), 0);
  assert.equal(retries.maxRetriesOf(caller({}, '10000')), 0);
});
