// An alias moves to its next target if one cannot serve; a named model uses only its own target. Checked
// against the simulator's truth log.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import OpenAI from 'openai';
import { openai } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const PROVIDERS = ['limited', 'refusing', 'small', 'wide', 'spare'];

function file(simulatorUrl: string): string {
  const provider = (name: string) => `
  ${name}: { baseUrl: "${simulatorUrl}/${name}/v1", apiKey: key-of-${name}, models: [${name}-model] }`;
  return `
providers:${PROVIDERS.map(provider).join('')}
  split:
    baseUrl: ${simulatorUrl}/split/v1
    models: [split-model]
    accounts:
      - { name: east, apiKey: east-key }
      - { name: west, apiKey: west-key, region: us-west }
aliases:
  limited-first: { targets: [limited/limited-model, spare/spare-model] }
  refusing-first: { targets: [refusing/refusing-model, spare/spare-model] }
  growing: { targets: [small/small-model, spare/spare-model, wide/wide-model] }
models:
  small-model: { contextTokens: 1000 }
  spare-model: { contextTokens: 1000 }
  wide-model: { contextTokens: 100000 }
prices:
  fallback: { inputUsd: 1, outputUsd: 2 }
`;
}

suite('a target that cannot serve', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, file);
  });
  after(() => gateway.close());
  beforeEach(() => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
  });

  async function chat(model: string): Promise<string> {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const answer = await openai(gateway).chat.completions.create({ model, messages });
    return answer.model;
  }

  function asked(): readonly string[] {
    return gateway.simulator.log().map(({ provider }) => provider);
  }

  test('the next target serves an alias and is tried first while the limit lasts', async () => {
    const usageLimit = { preset: 'usage-limit', resetInSeconds: 600 };
    gateway.simulator.setScenario({ provider: 'limited', ...usageLimit });
    assert.equal(await chat('limited-first'), 'spare-model');
    assert.equal(await chat('limited-first'), 'spare-model');
    assert.deepEqual(asked(), ['limited', 'spare', 'spare']);
    await assert.rejects(chat('limited-model'), OpenAI.RateLimitError);
    assert.deepEqual(asked(), ['limited', 'spare', 'spare']);
  });

  test("a caller's invalid request fails without trying further targets", async () => {
    gateway.simulator.setScenario({ provider: 'refusing', fault: 'invalid-request' });
    await assert.rejects(chat('refusing-first'), OpenAI.BadRequestError);
    assert.deepEqual(asked(), ['refusing']);
  });

  test('a prompt that is too long moves only to a target with a larger window', async () => {
    gateway.simulator.setScenario({ provider: 'small', fault: 'context-too-long' });
    assert.equal(await chat('growing'), 'wide-model');
    assert.deepEqual(asked(), ['small', 'wide']);
  });

  test('a limit of one account does not affect the account of another region', async () => {
    const usageLimit = { preset: 'usage-limit', resetInSeconds: 600 };
    gateway.simulator.setScenario({ provider: 'split', key: 'east-key', ...usageLimit });
    for (let turn = 0; turn < 3; turn += 1) assert.equal(await chat('split-model'), 'split-model');
    const refused = gateway.simulator.log().filter(({ status }) => status === 429);
    assert.equal(refused.length, 1);
  });
});
