// An alias over three vendors: whichever of them fails before the first content, the caller is served by the next in the
// caller's own format, with one charge at the price of the vendor that served.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const ALIASES = `${SINGLE_ATTEMPTS}
timeouts: { firstContentMs: 500, reasoningFirstContentMs: 500 }
aliases:
  any: { targets: [anthropic/claude-sonnet-5-5, openai/gpt-5-mini, gemini/gemini-2.5-flash] }
  lenient: { targets: [openai/gpt-5-mini], translate: lenient }
  strict: { targets: [openai/gpt-5-mini] }
`;
const HELLO = [{ role: 'user' as const, content: 'Hello' }];

suite('a chain across vendors', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => ALIASES);
  });
  after(() => gateway.close());
  afterEach(async () => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
    for (const provider of ['anthropic', 'openai', 'gemini'])
      await fetch(`${gateway.url}/admin/limits/${provider}/us-east`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${gateway.adminKey}` },
      });
  });

  const anthropic = () =>
    new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
  const openai = () =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });

  async function attempts(): Promise<number> {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const usage: unknown = await (await fetch(`${gateway.url}/v1/usage`, { headers })).json();
    return Number(Reflect.get(Object(Reflect.get(Object(usage), 'total')), 'attempts'));
  }

  test('a usage limit and an overload leave the third vendor, unary and streamed', async () => {
    gateway.simulator.setScenario([
      { provider: 'anthropic', preset: 'usage-limit', resetInSeconds: 600 },
      { provider: 'openai', preset: 'overloaded' },
    ]);
    const ask = { model: 'any', max_tokens: 50, messages: HELLO };
    const { data: answer, response } = await anthropic().messages.create(ask).withResponse();
    assert.equal(answer.type, 'message');
    assert.equal(answer.model, 'any');
    const cost = Number(response.headers.get('x-spillway-cost-usd'));
    const { input_tokens: input, output_tokens: output } = answer.usage;
    // The list price of gemini-2.5-flash: $0.30 and $2.50 per million tokens.
    assert.ok(Math.abs(cost - (input * 0.3 + output * 2.5) / 1e6) < 1e-9, String(cost));
    const streamed = await anthropic().messages.stream(ask).finalMessage();
    assert.deepEqual(streamed.content, [{ type: 'text', text: textOf(answer) }]);
    const served = gateway.simulator.log().filter(({ outcome }) => outcome === 'ok');
    assert.deepEqual(
      served.map(({ provider }) => provider),
      ['gemini', 'gemini'],
    );
  });

  test('a vendor that hangs before its first content is followed by the next', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'hang' });
    const stream = openai().chat.completions.stream({ model: 'any', messages: HELLO });
    const { choices } = await stream.finalChatCompletion();
    assert.ok(choices[0]?.message.content);
    const served = gateway.simulator.log().filter(({ outcome }) => outcome === 'ok');
    assert.deepEqual(
      served.map(({ provider }) => provider),
      ['openai'],
    );
  });

  test('a field without a counterpart is refused by name, or dropped and reported', async () => {
    const ask = { max_tokens: 50, messages: HELLO, top_k: 5 };
    await assert.rejects(
      anthropic().messages.create({ ...ask, model: 'strict' }),
      (error) => error instanceof Anthropic.BadRequestError && error.message.includes('top_k'),
    );
    const { response } = await anthropic()
      .messages.create({ ...ask, model: 'lenient' })
      .withResponse();
    assert.equal(response.headers.get('x-spillway-dropped'), 'top_k');
    // The first target of this alias has the field.
    const native = await anthropic().messages.create({ ...ask, model: 'any' });
    assert.equal(native.model, 'claude-sonnet-5-5');
  });

  test('no name of another vendor reaches the caller', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'overloaded' });
    const before = await attempts();
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'any', max_tokens: 50, messages: HELLO }),
    });
    const body = await response.text();
    const shown = `${JSON.stringify([...response.headers])}${body}`;
    assert.doesNotMatch(shown, /gpt|openai|chatcmpl|gemini|google|fingerprint/i);
    while ((await attempts()) < before + 2);
  });
});

function textOf({ content }: Anthropic.Message): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
