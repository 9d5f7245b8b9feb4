// The SDKs' errors for each reported failure, and where each provider states the delay.

import assert from 'node:assert/strict';
import test from 'node:test';
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ApiError as GeminiError, GoogleGenAI } from '@google/genai';
import OpenAI, { APIError as OpenaiError } from 'openai';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { startSimulator } from '../simulator.ts';
import { STATED_FAULTS } from './scenario.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const clock = createTestClock(NOW);
const simulator = await startSimulator({ clock });
const { url } = simulator;
const anthropic = new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 });
const openai = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });
const gemini = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } });
test.after(() => simulator.close());
test.beforeEach(() => simulator.resetScenario());

const MESSAGES = [{ role: 'user' as const, content: 'hello' }];
const askAnthropic = () =>
  anthropic.messages.create({ model: 'claude-x', max_tokens: 50, messages: MESSAGES });
const askOpenai = () => openai.chat.completions.create({ model: 'gpt-x', messages: MESSAGES });
const askGemini = () => gemini.models.generateContent({ model: 'gemini-x', contents: 'hello' });

type Seen = { status: number | undefined; text: string; headers: Headers };

/** The error that ends a call, from any SDK. */
async function failureOf(call: () => Promise<unknown>): Promise<Seen> {
  const failure: unknown = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (failure instanceof GeminiError)
    return { status: failure.status, text: failure.message, headers: new Headers() };
  assert.ok(failure instanceof AnthropicError || failure instanceof OpenaiError, String(failure));
  const headers = new Headers(failure.headers ?? {});
  return { status: failure.status, text: JSON.stringify(failure.error), headers };
}

const STATUSES = {
  'rate-limit': [429, 429, 429],
  'usage-limit': [429, 429, 429],
  'usage-limit-headers': [429, 429, 429],
  'spend-limit': [400, 400, 429],
  'credits-exhausted': [400, 429, 429],
  overloaded: [529, 503, 503],
  'server-error': [500, 500, 500],
  timeout: [504, 504, 504],
  'credentials-refused': [401, 401, 400],
  forbidden: [403, 403, 403],
  'context-too-long': [400, 400, 400],
  'content-policy': [400, 400, 200],
  'invalid-request': [400, 400, 400],
  'model-not-found': [404, 404, 404],
  'too-large': [413, 413, 413],
} as const;

for (const fault of STATED_FAULTS)
  test(`${fault} has the status of each provider`, async () => {
    simulator.setScenario({ fault, resetInSeconds: 60 });
    const [forAnthropic, forOpenai, forGemini] = STATUSES[fault];
    assert.equal((await failureOf(askAnthropic)).status, forAnthropic);
    assert.equal((await failureOf(askOpenai)).status, forOpenai);
    if (forGemini === 200) await askGemini();
    else assert.equal((await failureOf(askGemini)).status, forGemini);
  });

test('an exhausted plan is reported with its reset by every provider', async () => {
  simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
  const resetSeconds = (NOW + 600_000) / 1000;
  const claude = await failureOf(askAnthropic);
  assert.match(claude.text, new RegExp(`Claude AI usage limit reached\\|${resetSeconds}"`));
  const chatgpt = await failureOf(askOpenai);
  assert.match(chatgpt.text, new RegExp(`"resets_at":${resetSeconds},"resets_in_seconds":600`));
  const google = await failureOf(askGemini);
  assert.match(google.text, /"quotaResetTimeStamp":"2026-01-15T12:10:00.000Z"/);
  assert.match(google.text, /"retryDelay":"600s"/);
});

test('an exhausted plan can be reported by headers or details alone', async () => {
  simulator.setScenario({ preset: 'usage-limit-headers', resetInSeconds: 600 });
  const claude = await failureOf(askAnthropic);
  assert.equal(claude.headers.get('anthropic-ratelimit-unified-status'), 'rejected');
  assert.equal(claude.headers.get('anthropic-ratelimit-unified-reset'), String(NOW / 1000 + 600));
  assert.equal((await failureOf(askOpenai)).headers.get('retry-after'), '600');
  assert.match((await failureOf(askGemini)).text, /PerDay/);
});

test('a throttle states its delay where each provider puts it', async () => {
  simulator.setScenario({ fault: 'rate-limit', retryAfterMs: 1_234 });
  assert.equal((await failureOf(askAnthropic)).headers.get('retry-after'), '2');
  const chatgpt = await failureOf(askOpenai);
  assert.equal(chatgpt.headers.get('retry-after-ms'), '1234');
  assert.match(chatgpt.text, /Please try again in 1.234s/);
  const google = await failureOf(askGemini);
  assert.match(google.text, /"retryDelay":"1.234s"/);
  assert.match(google.text, /PerMinute/);
});

test('a throttle can omit the delay', async () => {
  simulator.setScenario({ preset: 'rate-limit-no-delay' });
  assert.equal((await failureOf(askAnthropic)).headers.get('retry-after'), null);
  assert.doesNotMatch((await failureOf(askOpenai)).text, /try again in/);
  assert.doesNotMatch((await failureOf(askGemini)).text, /RetryInfo/);
});

test('status and message can be overridden', async () => {
  simulator.setScenario({ fault: 'server-error', status: 502, message: 'the dam broke' });
  for (const request of [askAnthropic, askOpenai, askGemini]) {
    const { status, text } = await failureOf(request);
    assert.equal(status, 502);
    assert.match(text, /the dam broke/);
  }
});

test('a secret is planted in message, fields and headers', async () => {
  simulator.setScenario({ preset: 'leaky', secret: 'canary-42' });
  for (const request of [askAnthropic, askOpenai]) {
    const { text, headers } = await failureOf(request);
    assert.ok(text.split('canary-42').length > 3);
    assert.equal(headers.get('x-debug-trace'), 'canary-42');
  }
  assert.ok((await failureOf(askGemini)).text.includes('canary-42'));
  assert.ok(!JSON.stringify(simulator.log()).includes('canary-42'));
});

test('a real limit refuses with its numbers and admits again at the stated time', async () => {
  simulator.setScenario({ rateLimit: { requestsPerMinute: 2 } });
  const { response } = await anthropic.messages
    .create({ model: 'claude-x', max_tokens: 50, messages: MESSAGES })
    .withResponse();
  assert.equal(response.headers.get('anthropic-ratelimit-requests-limit'), '2');
  assert.equal(response.headers.get('anthropic-ratelimit-requests-remaining'), '1');
  assert.equal(response.headers.get('anthropic-ratelimit-requests-reset'), '2026-01-15T12:01:00Z');
  await clock.advance(20_000);
  await askAnthropic();
  const refused = await failureOf(askAnthropic);
  assert.equal(refused.headers.get('retry-after'), '40');
  assert.match(refused.text, /rate limit of 2 requests per minute/);
  await clock.advance(40_000);
  await askAnthropic();
  await failureOf(askAnthropic);
  const { byOutcome } = simulator.stats().byProvider.anthropic ?? {};
  assert.ok((byOutcome?.ok ?? 0) >= 3 && (byOutcome?.refused ?? 0) >= 2);
});

test('each provider words a token limit its own way', async () => {
  simulator.setScenario({ rateLimit: { tokensPerMinute: 80 }, outputTokens: 40 });
  await askOpenai();
  const chatgpt = await failureOf(askOpenai);
  assert.match(chatgpt.text, /tokens per min \(TPM\): Limit 80, Used 42, Requested 42/);
  assert.equal(chatgpt.headers.get('x-ratelimit-remaining-tokens'), '38');
  assert.equal(chatgpt.headers.get('retry-after-ms'), '60000');
  await askGemini();
  assert.match((await failureOf(askGemini)).text, /InputTokensPerModelPerMinute/);
});

test('counting tokens and listing models consume no limit', async () => {
  simulator.setScenario({ rateLimit: { requestsPerMinute: 1 } });
  await anthropic.models.list();
  await anthropic.messages.countTokens({ model: 'claude-x', messages: MESSAGES });
  await askAnthropic();
});
