// A model that the provider does not know gets the answer of a model that Spillway does not know: 404 in the vendor's shape,
// with the name that the caller sent and nothing of the provider's text.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { FORMATS, type Format } from './format-requests.ts';

const MESSAGES = [{ role: 'user', content: 'Hello' }];

/** By a name that only the provider refuses. */
const KNOWN_HERE: Record<Format, string> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
  gemini: 'gemini-2.5-flash',
};

suite('models that a provider does not know', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway(
      {},
      () => `${SINGLE_ATTEMPTS}
aliases:
  best: { targets: [anthropic/claude-sonnet-5-5] }
`,
    );
    gateway.simulator.setScenario({ fault: 'model-not-found' });
  });
  after(() => gateway.close());

  async function ask(format: Format, model: string, isStream = false) {
    const [path, body] =
      format === 'gemini'
        ? [
            `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
            { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
          ]
        : [
            format === 'anthropic' ? '/v1/messages' : '/v1/chat/completions',
            { model, max_tokens: 20, messages: MESSAGES, stream: isStream },
          ];
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Without the parts that differ between any two requests. */
  function comparable(text: string, model: string): string {
    return text.replaceAll(/req_\w+/g, 'req').replaceAll(model, 'MODEL');
  }

  for (const format of FORMATS)
    for (const isStream of [false, true])
      test(`${format}${isStream ? ', streamed' : ''}: the answer is that of a model unknown here`, async () => {
        const here = await ask(format, 'nobody-has-this', isStream);
        const there = await ask(format, KNOWN_HERE[format], isStream);
        assert.equal(there.status, 404, there.text);
        assert.match(there.text, new RegExp(`The model ${KNOWN_HERE[format]} does not exist here`));
        assert.equal(
          comparable(there.text, KNOWN_HERE[format]),
          comparable(here.text, 'nobody-has-this'),
        );
      });

  test('the answer has the name of the alias, not of its target', async () => {
    const answer = await ask('anthropic', 'best');
    assert.equal(answer.status, 404, answer.text);
    assert.match(answer.text, /The model best does not exist here/);
    assert.doesNotMatch(answer.text, /claude-sonnet/);
  });
});
