// The answers of a provider of another format, as bytes: their events come in the order that the caller's vendor documents,
// and they have the fields and types of an answer that the caller's own vendor gives to the same request.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { isObject } from '../../../src/translation/fields.ts';
import { DIALECTS, type DialectName } from '../../../src/translation/neutral-request.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { ASSERT_ORDER, eventsIn } from '../../support/translation/stream-orders.ts';
import { onlyEndpoints } from './only-endpoints.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const QUESTIONS = { text: 'Tell me a story.', call: 'Use get_weather for Bern.' };
type Subject = keyof typeof QUESTIONS;

type Request = { readonly path: string; readonly body: object };

const REQUESTS: Readonly<
  Record<DialectName, (model: string, text: string, stream: boolean) => Request>
> = {
  messages: (model, content, stream) => ({
    path: '/v1/messages',
    body: {
      model,
      stream,
      max_tokens: 200,
      messages: [{ role: 'user', content }],
      tools: [{ name: 'get_weather', input_schema: SCHEMA }],
    },
  }),
  chat: (model, content, stream) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      ...(stream && { stream, stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content }],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }],
    },
  }),
  responses: (model, input, stream) => ({
    path: '/v1/responses',
    body: {
      model,
      stream,
      store: false,
      input,
      tools: [{ type: 'function', name: 'get_weather', parameters: SCHEMA, strict: false }],
    },
  }),
  generate: (model, text, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }] }],
    },
  }),
};

suite('translated answers beside native ones', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, onlyEndpoints);
  });
  after(() => gateway.close());

  async function ask(
    caller: DialectName,
    provider: DialectName,
    subject: Subject,
    stream: boolean,
  ) {
    const { path, body } = REQUESTS[caller](`to-${provider}`, QUESTIONS[subject], stream);
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { text, type: response.headers.get('content-type') };
  }

  for (const caller of DIALECTS)
    for (const provider of DIALECTS)
      for (const subject of ['text', 'call'] as const) {
        const label = `${caller} by a provider of ${provider}, ${subject}`;
        test(`the events of ${label} come in the vendor's order`, async () => {
          const { text, type } = await ask(caller, provider, subject, true);
          ASSERT_ORDER[caller](eventsIn(text));
          if (caller === provider) return;
          const native = await ask(caller, caller, subject, true);
          assert.equal(type, native.type);
          assert.deepEqual(shapeOfEvents(text), shapeOfEvents(native.text));
        });
        if (caller === provider) continue;
        test(`an answer to ${label} has the fields of a native one`, async () => {
          const { text, type } = await ask(caller, provider, subject, false);
          const native = await ask(caller, caller, subject, false);
          assert.equal(type, native.type);
          assert.deepEqual(shapeOf(JSON.parse(text)), shapeOf(JSON.parse(native.text)));
        });
      }
});

/**
 * Fields that the SDKs declare as optional and that would be untrue: the build of OpenAI's servers, and Google's division of
 * the prompt into text and images.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(['system_fingerprint', 'promptTokensDetails']);

/** Events of one name have one shape: that of all of them together. */
function shapeOfEvents(body: string): unknown {
  const byName = Map.groupBy(eventsIn(body), ({ event }) => event);
  return Object.fromEntries([...byName].map(([name, events]) => [name, shapeOf(events)]));
}

/** Names and types instead of values; elements of a list are taken together. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [value.map(shapeOf).reduce(merged, undefined)];
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !OWN_FIELDS.has(name))
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, each]) => [name, shapeOf(each)]),
    );
  return value === null ? 'null' : typeof value;
}

const OR = ' or ';

function merged(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (other === undefined) return one;
  if (Array.isArray(one) && Array.isArray(other)) return [merged(one[0], other[0])];
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
    return Object.fromEntries(names.map((name) => [name, merged(one[name], other[name])]));
  }
  if (one === other) return one;
  const kinds = [one, other].flatMap((each) =>
    typeof each === 'string' ? each.split(OR) : [JSON.stringify(each)],
  );
  return [...new Set(kinds)].sort((a, b) => a.localeCompare(b)).join(OR);
}
