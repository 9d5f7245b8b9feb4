// Clients that do not retry as the official SDKs do: a single attempt, an endless sleep on Retry-After, a repeat of an answer
// that broke off. Each is served no worse than by the failing provider itself.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { ask, attemptsOf, chatAsk } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const FILE = () => `
retry: { baseMs: 1, overloadedBaseMs: 1 }
`;
const CODEX = { 'user-agent': 'codex_exec/0.166.0 (Linux; x86_64) dumb' };
const CLAUDE_CODE = { 'user-agent': 'claude-cli/2.1.197 (external, sdk-cli)' };

suite('clients with retry habits of their own', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  after(() => gateway.close());
  afterEach(() => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
  });

  function google(prompt: string): Promise<unknown> {
    const { url, apiKey } = gateway;
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    return client.models.generateContent({ model: 'gemini-2.5-flash', contents: prompt });
  }

  test('an SDK with a single attempt gets an answer after one failure', async () => {
    gateway.simulator.setScenario({ preset: 'server-error', times: 1 });
    await google('once');
    assert.equal(gateway.simulator.log().length, 2);
  });

  test('ten requests of an SDK with a single attempt make fewer than ten calls of a failing provider', async () => {
    gateway.simulator.setScenario({ preset: 'server-error' });
    for (let number = 1; number <= 10; number += 1)
      await assert.rejects(google(`hello ${number}`), ApiError);
    const calls = gateway.simulator.log().length;
    assert.ok(calls < 10, `${calls} calls`);
  });

  test('at an open circuit a client that sleeps on Retry-After gets no Retry-After; other clients get it', async () => {
    gateway.simulator.setScenario({ provider: 'openai', preset: 'server-error' });
    for (let count = 0; count < 5; count += 1) await ask(gateway, chatAsk({ headers: CODEX }));
    const codex = await ask(gateway, chatAsk({ headers: CODEX }));
    assert.match(codex.text, /"code":"server_is_overloaded"/);
    assert.match(codex.text, /"reason":"circuit_open"/);
    assert.equal(codex.headers.get('retry-after'), null);
    assert.ok(Number(codex.headers.get('retry-after-ms')) > 0);
    const other = await ask(gateway, chatAsk());
    assert.ok(Number(other.headers.get('retry-after')) > 0);
  });

  test('an agent does not retry an answer that broke off, and does retry a lost connection', async () => {
    gateway.simulator.setScenario({ preset: 'cut' });
    const cut = await ask(gateway, { headers: CLAUDE_CODE });
    assert.deepEqual([cut.status, attemptsOf(cut)], [504, 1]);
    assert.equal(cut.headers.get('x-should-retry'), 'false');
    gateway.simulator.setScenario({ preset: 'reset' });
    const lost = await ask(gateway, { headers: CLAUDE_CODE });
    assert.deepEqual([lost.status, attemptsOf(lost)], [504, 1]);
    assert.equal(lost.headers.get('x-should-retry'), null);
  });
});
