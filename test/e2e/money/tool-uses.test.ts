// A model of OpenAI that uses the provider's tools as often as the request allows, under a large budget that is nearly spent: the
// requests of an organisation, at endpoints and as jobs, do not spend more than the budget together.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { ask, type Caller, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import { ADMIN_KEY, openSealedRig, type SealedRig } from '../errors/sealed-rig.ts';

const PATH = '/v1/responses';
const BUDGET_USD = 1000;
/** Each use reads the window of the model, at 1.25 dollars a million tokens. */
const WINDOW_TOKENS = 400_000;
const BODY = {
  model: 'gpt-5',
  max_output_tokens: 1000,
  input: 'Hi',
  tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://a.example' }],
};
/** The uses of a model that no maximum stops. */
const ENDLESS_USES = 60;

suite('the uses of tools under a budget that is nearly spent', () => {
  const seen: unknown[] = [];
  let provider: Server;
  let rig: SealedRig;
  before(async () => {
    provider = createServer((request, response) => {
      void jsonOf(request).then(({ max_tool_calls: most }) => {
        seen.push(most);
        const uses = typeof most === 'number' ? most : ENDLESS_USES;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answerAfter(uses)));
      });
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const address = provider.address();
    assert.ok(address && typeof address === 'object');
    rig = await openSealedRig(`http://127.0.0.1:${address.port}`);
  });
  after(async () => {
    await rig.close();
    provider.closeAllConnections();
    provider.close();
  });

  /** A tenant that has spent all but about `left` dollars, in one response with a maximum of its own. */
  async function tenantWith(left: number): Promise<Caller> {
    const operator = { url: rig.url, adminKey: ADMIN_KEY };
    const tenant = await newTenant(operator, {
      monthlyBudgetUsd: BUDGET_USD,
      requestsPerMinute: 1000,
    });
    const uses = Math.floor((BUDGET_USD - left) / 0.5);
    const spending = await ask(tenant, { path: PATH, body: { ...BODY, max_tool_calls: uses } });
    assert.equal(spending.status, 200, spending.text);
    seen.length = 0;
    return tenant;
  }

  for (const left of [8, 25])
    test(`with ${left} dollars left, responses at once and in turn stay within the budget`, async () => {
      const tenant = await tenantWith(left);
      const answers = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const asked = Array.from({ length: 8 }, () => ask(tenant, { path: PATH, body: BODY }));
        answers.push(...(await Promise.all(asked)));
      }
      const served = answers.filter(({ status }) => status === 200).length;
      assert.ok(served > 0);
      assert.equal(answers.filter(({ status }) => status === 402).length, answers.length - served);
      const { costUsd } = await usageOf(tenant, served + 1);
      assert.ok(costUsd <= BUDGET_USD, `${costUsd} dollars were spent`);
      assert.equal(seen.length, served);
      assert.ok(seen.every((most) => typeof most === 'number'));
    });

  test('a queued response has a maximum and stays within the budget', async () => {
    const tenant = await tenantWith(8);
    const headers = { prefer: 'respond-async' };
    const queued = await ask(tenant, { path: PATH, body: BODY, headers });
    assert.equal(queued.status, 202, queued.text);
    const { costUsd } = await usageOf(tenant, 2);
    assert.ok(costUsd <= BUDGET_USD, `${costUsd} dollars were spent`);
    assert.deepEqual(seen, [10]);
  });
});

function answerAfter(uses: number): object {
  const content = [{ type: 'output_text', text: 'Hello' }];
  const usage = { input_tokens: uses * WINDOW_TOKENS, output_tokens: 1000 };
  return { status: 'completed', output: [{ type: 'message', content }], usage };
}

async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}
