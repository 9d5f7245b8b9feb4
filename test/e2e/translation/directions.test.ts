// Every caller's format with a provider of every format: the vendors' own SDKs lead a conversation with a system prompt, an
// image and a tool, unary and streamed. The provider's side is checked too: each translated request fits the strict schema of
// the provider's own format, so that the vendor's SDK could have sent it, and carries that vendor's headers only.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { ObservedRequest } from '../../../src/simulator/simulator.ts';
import { DIALECTS, type DialectName } from '../../../src/translation/neutral-request.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { VENDOR_REQUESTS } from '../../support/translation/vendor-requests.ts';
import { onlyEndpoints } from './only-endpoints.ts';
import { CONVERSATIONS } from './sdk-conversations.ts';

type Expected = { readonly operation: string; readonly headers: readonly string[] };

/** The operation at the provider, and the headers that its SDK sends. */
const PROVIDERS: Readonly<Record<DialectName, Expected>> = {
  messages: { operation: 'messages', headers: ['anthropic-version', 'x-api-key'] },
  chat: { operation: 'chat_completions', headers: ['authorization'] },
  responses: { operation: 'responses', headers: ['authorization'] },
  generate: { operation: 'generate_content', headers: ['x-goog-api-key'] },
};
const VENDOR_HEADER = /^(?:anthropic-|openai-|x-api-key$|x-goog-|authorization$|x-stainless-)/;

suite('translation', () => {
  let gateway: TestGateway;
  let received: ObservedRequest[] = [];
  before(async () => {
    gateway = await startTestGateway({}, onlyEndpoints);
    gateway.simulator.observe((request) => received.push(request));
  });
  after(() => gateway.close());

  for (const caller of DIALECTS)
    for (const provider of DIALECTS)
      for (const isStream of [false, true])
        test(`${caller} at a provider of ${provider}, ${isStream ? 'streamed' : 'unary'}`, async () => {
          gateway.simulator.clearLog();
          received = [];
          const asked = `to-${provider}`;
          const { called, text, model } = await CONVERSATIONS[caller](isStream)(gateway, asked);
          assert.deepEqual(called, ['get_weather']);
          assert.ok(text.length > 0);
          const log = gateway.simulator.log();
          assert.deepEqual(
            log.map(({ outcome, stream }) => ({ outcome, stream })),
            log.map(() => ({ outcome: 'ok', stream: isStream })),
          );
          assert.equal(received.length, 3);
          if (caller === provider) return;
          assert.equal(model, asked);
          for (const request of received) assertSentByOwnSdk(provider, request);
        });
});

function assertSentByOwnSdk(dialect: DialectName, { operation, headers, json }: ObservedRequest) {
  const expected = PROVIDERS[dialect];
  assert.equal(operation, expected.operation);
  const checked = VENDOR_REQUESTS[dialect].safeParse(json);
  assert.ok(checked.success, `${checked.error?.message} ${JSON.stringify(json)}`);
  const sent = Object.keys(headers).filter((name) => VENDOR_HEADER.test(name));
  assert.deepEqual(sent.sort(), expected.headers);
}
