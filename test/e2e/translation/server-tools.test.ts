// Tools that a vendor runs, offered to a model of another vendor, as Codex does in every request: refused by name, or left
// out and reported where the alias says so, whatever they would cost at their own vendor.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}
aliases:
  claude: { targets: [anthropic/claude-sonnet-5-5], translate: lenient }
  gemini: { targets: [gemini/gemini-2.5-flash], translate: lenient }
  strict: { targets: [gemini/gemini-2.5-flash] }
`;

suite("tools of the caller's vendor", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
  });
  after(() => gateway.close());

  function ask(model: string): Promise<Response> {
    return fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        store: false,
        input: 'Hello',
        tools: [{ type: 'web_search', external_web_access: false }],
      }),
    });
  }

  for (const model of ['claude', 'gemini'])
    test(`a lenient alias leaves them out for ${model} and reports them`, async () => {
      const response = await ask(model);
      assert.equal(response.status, 200, await response.clone().text());
      assert.equal(response.headers.get('x-spillway-dropped'), 'tools[0].type');
    });

  test('any other alias refuses them by field', async () => {
    const response = await ask('strict');
    assert.equal(response.status, 400);
    assert.match(await response.text(), /"param":"tools\[0\]\.type"/);
  });
});
