// A chain anthropic → openai → gemini in which the first two targets fail: the caller gets an answer of its own format, and its
// organisation pays once, the list price of the vendor that served. After a hang the organisation does not pay the estimate of the
// attempts without an answer; operators can see it.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newTenant } from '../../support/gateway/call-rig.ts';
import { anthropic, openai } from '../../support/gateway/sdk-clients.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}
timeouts: { firstContentMs: 700, reasoningFirstContentMs: 700, unaryMs: 700 }
aliases:
  any: { targets: [anthropic/claude-sonnet-5-5, openai/gpt-5-mini, gemini/gemini-2.5-flash] }
`;
const HELLO = [{ role: 'user' as const, content: 'Hello' }];
const FAILURES = {
  'a usage limit': [
    { provider: 'anthropic', preset: 'usage-limit', resetInSeconds: 600 },
    { provider: 'openai', preset: 'usage-limit', resetInSeconds: 600 },
  ],
  'an overload': [
    { provider: 'anthropic', preset: 'overloaded' },
    { provider: 'openai', preset: 'overloaded' },
  ],
  'a hang': [
    { provider: 'anthropic', preset: 'hang' },
    { provider: 'openai', preset: 'hang-after-headers' },
  ],
} as const;

type Tokens = { readonly input: number; readonly output: number };
type Sum = { readonly group: string; readonly attempts: number; readonly costUsd: number };

suite('the charges of a chain across vendors', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
  });
  after(() => gateway.close());
  afterEach(async () => {
    gateway.simulator.resetScenario();
    for (const provider of ['anthropic', 'openai'])
      await admin(`/admin/limits/${provider}/us-east`, 'DELETE');
  });

  function admin(path: string, method = 'GET'): Promise<Response> {
    const headers = { authorization: `Bearer ${gateway.adminKey}` };
    return fetch(gateway.url + path, { method, headers });
  }

  async function read(path: string, key: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${key}` };
    return Object(await (await fetch(gateway.url + path, { headers })).json());
  }

  /** By provider, once the journal of `attempts` attempts has reached the store. */
  async function usage(attempts: number): Promise<ReadonlyMap<string, Sum>> {
    for (;;) {
      const { data } = await read('/v1/usage?groupBy=provider', gateway.apiKey);
      const sums: readonly Sum[] = Object(data);
      if (sums.reduce((all, sum) => all + sum.attempts, 0) >= attempts)
        return new Map(sums.map((sum) => [sum.group, sum]));
      await sleep(20);
    }
  }

  async function spentUsd(): Promise<number> {
    return Number((await read('/v1/budget', gateway.apiKey))['spentUsd']);
  }

  async function unbilledUsd(): Promise<number> {
    const page = await (await admin('/metrics')).text();
    const found = page.matchAll(/^ai_cost_unbilled_usd_total\{[^}]*\} (\S+)$/gm);
    return [...found].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async function messages(isStream: boolean): Promise<Tokens> {
    const ask = { model: 'any', max_tokens: 50, messages: HELLO };
    const client = anthropic(gateway);
    const answer = isStream
      ? await client.messages.stream(ask).finalMessage()
      : await client.messages.create(ask);
    assert.equal(answer.type, 'message');
    assert.equal(answer.model, 'any');
    return { input: answer.usage.input_tokens, output: answer.usage.output_tokens };
  }

  async function chat(isStream: boolean): Promise<Tokens> {
    const ask = { model: 'any', max_completion_tokens: 50, messages: HELLO };
    const { completions } = openai(gateway).chat;
    const answer = isStream
      ? await completions
          .stream({ ...ask, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await completions.create(ask);
    assert.equal(answer.object, 'chat.completion');
    assert.equal(answer.model, 'any');
    return {
      input: answer.usage?.prompt_tokens ?? 0,
      output: answer.usage?.completion_tokens ?? 0,
    };
  }

  let attempts = 0;
  for (const [name, failures] of Object.entries(FAILURES))
    for (const [format, ask] of Object.entries({ messages, chat }))
      for (const isStream of [false, true])
        test(`${name} at two vendors costs a ${format} caller the third one's price, ${isStream ? 'streamed' : 'unary'}`, async () => {
          const before = await usage(attempts);
          const spentBefore = await spentUsd();
          const unbilledBefore = await unbilledUsd();
          gateway.simulator.setScenario(failures);
          const { input, output } = await ask(isStream);
          attempts += 3;
          const sums = await usage(attempts);
          const charged = (provider: string) =>
            (sums.get(provider)?.costUsd ?? 0) - (before.get(provider)?.costUsd ?? 0);
          // The list price of gemini-2.5-flash: $0.30 and $2.50 per million tokens.
          const price = (input * 0.3 + output * 2.5) / 1e6;
          assert.ok(price > 0);
          assertUsd(charged('gemini'), price);
          assertUsd(charged('anthropic') + charged('openai'), 0);
          assertUsd((await spentUsd()) - spentBefore, price);
          for (const provider of ['anthropic', 'openai', 'gemini'])
            assert.equal(
              (sums.get(provider)?.attempts ?? 0) - (before.get(provider)?.attempts ?? 0),
              1,
            );
          assert.equal((await unbilledUsd()) > unbilledBefore, name === 'a hang');
        });

  test("a hung attempt's reservation refuses no later target of a budget that fits one call", async () => {
    gateway.simulator.setScenario(FAILURES['a hang']);
    const first = 'anthropic/claude-sonnet-5-5';
    const rich = await newTenant(gateway, { monthlyBudgetUsd: 1 });
    const hung = post(rich.apiKey, first).then(({ status }) => status);
    const worstUsd = await heldUsd(rich.apiKey);
    assert.equal(await hung, 504);
    // The worst cases of the other targets are more than a hundredth of the first one's.
    const poor = await newTenant(gateway, { monthlyBudgetUsd: worstUsd * 1.01 });
    const answer = await post(poor.apiKey, 'any');
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(answer.headers.get('x-spillway-attempts'), '3');
    const { spentUsd: spent } = await read('/v1/budget', poor.apiKey);
    assert.ok(Number(spent) > 0 && Number(spent) < worstUsd);
    const barred = await newTenant(gateway, { monthlyBudgetUsd: worstUsd * 0.99 });
    assert.equal((await post(barred.apiKey, first)).status, 402);
  });

  function post(key: string, model: string): Promise<Response> {
    return fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 50, messages: HELLO }),
    });
  }

  /** The reservation of the organisation's only call, once there is one. */
  async function heldUsd(key: string): Promise<number> {
    const deadline = AbortSignal.timeout(5000);
    for (;;) {
      const held = Number((await read('/v1/budget', key))['heldUsd']);
      if (held > 0) return held;
      deadline.throwIfAborted();
      await sleep(20);
    }
  }

  test('hangs of every target charge the estimates, because the providers are paid', async () => {
    const before = await usage(attempts);
    gateway.simulator.setScenario({ preset: 'hang' });
    await assert.rejects(messages(true), anthropicTimeout);
    attempts += 3;
    const sums = await usage(attempts);
    for (const provider of ['anthropic', 'openai', 'gemini'])
      assert.ok(
        (sums.get(provider)?.costUsd ?? 0) > (before.get(provider)?.costUsd ?? 0),
        provider,
      );
  });
});

function anthropicTimeout(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'status') === 504;
}

function assertUsd(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
}
