// Clients that retry by themselves, in front of a provider that refuses every call: through the gateway the provider gets
// at most 1.2 times the calls that it gets from the client alone, and a client is never stopped before its own retries
// unless the gateway made as many. Provider calls are counted in the simulator's truth log.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { ask, attemptsOf, chatAsk, errorOf } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MAX_RATIO = 1.2;
const FILE = () => `
retry: { baseMs: 1, overloadedBaseMs: 1, budgetCapacity: 100000 }
breaker: { failures: 1000000 }
prices: { fallback: { inputUsd: 1, outputUsd: 2 } }
`;

/** Sends one request of a user, with the client's own retries, to a base URL. */
type Client = (url: string, apiKey: string, model: string) => Promise<unknown>;

const messages = [{ role: 'user' as const, content: 'Hello' }];

/** As agents do: the same bytes again after each failure that may pass. */
function agent(userAgent: string, tries: number): Client {
  return async (url, apiKey, model) => {
    for (let count = 0; count < tries; count += 1) {
      const headers = { 'user-agent': userAgent };
      const { status } = await ask({ url, apiKey }, chatAsk({ model, headers }));
      if (status < 500 && status !== 429) return;
    }
    throw new Error('refused');
  };
}

const CLIENTS: Readonly<Record<string, Client>> = {
  'the OpenAI SDK': (url, apiKey, model) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey }).chat.completions.create({ model, messages }),
  'the Anthropic SDK': (url, apiKey, model) =>
    new Anthropic({ baseURL: url, apiKey }).messages.create({ model, messages, max_tokens: 9 }),
  'the Vercel AI SDK': (url, apiKey, model) => {
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey });
    return generateText({ model: provider.chat(model), prompt: 'Hello' });
  },
  Codex: agent('codex_cli_rs/0.46.0 (Linux; x86_64)', 5),
  'Gemini CLI': agent('GeminiCLI/0.9.0/gemini-2.5-pro (linux; x64)', 10),
  'Claude Code': agent('claude-cli/2.0.14 (external, cli)', 11),
};

const FAILURES = {
  'a permanent throttle': { fault: 'rate-limit', retryAfterMs: 20 },
  'a permanent overload': { preset: 'overloaded' },
  'a permanent failure': { preset: 'server-error' },
} as const;

suite('a client that retries by itself does not multiply provider calls', () => {
  let gateway: TestGateway;
  let models = 0;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  after(() => gateway.close());
  afterEach(() => gateway.simulator.resetScenario());

  /** The provider calls of one request that fails at every attempt. */
  async function callsOf(client: Client, url: string, claude: boolean): Promise<number> {
    models += 1;
    const model = `${claude ? 'claude' : 'gpt'}-test-${models}`;
    await assert.rejects(Promise.resolve(client(url, gateway.apiKey, model)));
    return gateway.simulator.log().filter((entry) => entry.model === model).length;
  }

  for (const [name, client] of Object.entries(CLIENTS)) {
    test(`${name}: at most ${MAX_RATIO} times the calls of the client alone`, async () => {
      for (const [failure, scenario] of Object.entries(FAILURES)) {
        // Its delays without a stated wait are seconds long and cannot be configured.
        if (name === 'the Vercel AI SDK' && !('retryAfterMs' in scenario)) continue;
        gateway.simulator.setScenario(scenario);
        const isClaude = name === 'the Anthropic SDK';
        const alone = await callsOf(client, gateway.simulator.url, isClaude);
        const through = await callsOf(client, gateway.url, isClaude);
        assert.ok(alone > 1, `${failure}: the client alone does not retry`);
        assert.ok(through <= MAX_RATIO * alone, `${failure}: ${through} calls instead of ${alone}`);
        assert.ok(through >= 1);
      }
    });
  }

  test('an announced repeat is attempted once', async () => {
    gateway.simulator.setScenario({ preset: 'server-error' });
    for (const [count, attempts] of [
      ['0', 3],
      ['1', 1],
      ['2', 1],
    ] as const) {
      const headers = { 'x-stainless-retry-count': count };
      const answer = await ask(gateway, { model: `claude-count-${count}`, headers });
      assert.equal(attemptsOf(answer), attempts, count);
    }
  });

  test('the same bytes from the same key are attempted once after the retries were used up', async () => {
    gateway.simulator.setScenario({ preset: 'server-error' });
    const first = await ask(gateway, { model: 'claude-same' });
    assert.equal(attemptsOf(first), 4);
    assert.equal(first.headers.get('x-should-retry'), 'false');
    const second = await ask(gateway, { model: 'claude-same' });
    assert.equal(attemptsOf(second), 1);
    assert.equal(second.headers.get('x-should-retry'), null);
    gateway.simulator.resetScenario();
    const third = await ask(gateway, { model: 'claude-same' });
    assert.deepEqual([third.status, attemptsOf(third)], [200, 1]);
  });

  test('a failure that the gateway did not retry leaves the retry to the client', async () => {
    gateway.simulator.setScenario({ fault: 'rate-limit', retryAfterMs: 30_000 });
    const answer = await ask(gateway, { model: 'claude-patient' });
    assert.equal(attemptsOf(answer), 1);
    assert.equal(answer.headers.get('retry-after'), '30');
    assert.equal(answer.headers.get('x-should-retry'), null);
  });
});

test('a refused provider key is tried once a minute', async (context) => {
  const file = () => FILE().replace('retry: {', 'retry: { refusedCredentialMs: 59s,');
  const gateway = await startTestGateway({}, file);
  context.after(() => gateway.close());
  gateway.simulator.setScenario({ preset: 'credentials-refused' });
  for (let count = 0; count < 5; count += 1) {
    const answer = await ask(gateway);
    assert.deepEqual([answer.status, errorOf(answer).code], [502, 'AUTH_FAILED']);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
  }
  assert.equal(gateway.simulator.log().length, 1);
  gateway.simulator.resetScenario();
  // The account of another provider has its own key.
  assert.equal((await ask(gateway, chatAsk())).status, 200);
});
