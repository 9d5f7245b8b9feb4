// A provider that puts canaries everywhere or breaks its stream, and callers of other wire formats: no canary reaches a
// caller, and every failure arrives sealed, in the caller's format.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { canariesIn, strangeHeaders } from '../errors/canaries.ts';
import { openSealedRig, type SealedRig } from '../errors/sealed-rig.ts';
import { ANSWERS, begun, LEAKY_HEADERS, STREAMS, sse, type Vendor } from './planted-answers.ts';

const MODELS: Readonly<Record<Vendor, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
  gemini: 'gemini-2.5-flash',
};
const NAMES: Readonly<Record<Vendor, RegExp>> = {
  anthropic: /anthropic|toolu_/i,
  openai: /openai|chatcmpl|fingerprint/i,
  gemini: /google|avgLogprobs/i,
};

const CALLERS = {
  messages: {
    vendor: 'anthropic',
    path: () => '/v1/messages',
    body: (model: string, stream: boolean) => ({
      model,
      stream,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  },
  chat: {
    vendor: 'openai',
    path: () => '/v1/chat/completions',
    body: (model: string, stream: boolean) => ({
      model,
      stream,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  },
  responses: {
    vendor: 'openai',
    path: () => '/v1/responses',
    body: (model: string, stream: boolean) => ({ model, stream, store: false, input: 'Hello' }),
  },
  generate: {
    vendor: 'gemini',
    path: (model: string, isStream: boolean) =>
      `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  },
} as const;
type Caller = keyof typeof CALLERS;
const FORMATS: readonly Caller[] = ['messages', 'chat', 'responses', 'generate'];

type Script = (vendor: Vendor, response: ServerResponse) => void;
let script: Script = (_vendor, response) => response.end();

function answering(isStream: boolean): Script {
  return (vendor, response) => {
    const type = isStream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { ...LEAKY_HEADERS, 'content-type': `${type}; canary=canary` });
    response.end(isStream ? STREAMS[vendor] : JSON.stringify(ANSWERS[vendor]));
  };
}

function streaming(bytes: (vendor: Vendor) => Iterable<string>): Script {
  return (vendor, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of bytes(vendor)) response.write(chunk);
    response.end();
  };
}

function vendorOf(url: string): Vendor {
  if (url.includes('/messages')) return 'anthropic';
  return url.includes('/chat/completions') ? 'openai' : 'gemini';
}

suite('hostile providers and requests of other formats', () => {
  let rig: SealedRig;
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => script(vendorOf(request.url ?? ''), response));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    rig = await openSealedRig(
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    );
  });
  after(async () => {
    await rig.close();
    server.closeAllConnections();
    server.close();
  });

  function call(format: Caller, vendor: Vendor, isStream: boolean) {
    const { path, body } = CALLERS[format];
    const model = MODELS[vendor];
    return rig.call('POST', path(model, isStream), body(model, isStream));
  }

  const foreign = (format: Caller) =>
    (['anthropic', 'openai', 'gemini'] as const).filter((name) => name !== CALLERS[format].vendor);

  for (const format of FORMATS)
    for (const isStream of [false, true])
      test(`no canary of a provider reaches a ${format} caller, ${isStream ? 'streamed' : 'unary'}`, async () => {
        for (const vendor of foreign(format)) {
          script = answering(isStream);
          const { status, headers, text } = await call(format, vendor, isStream);
          const seen = `${vendor}: ${status} ${text}`;
          assert.equal(status, 200, seen);
          assert.match(text, /Good day/, seen);
          const shown = JSON.stringify([...headers]) + text;
          assert.deepEqual(canariesIn(shown), [], seen);
          assert.doesNotMatch(text, NAMES[vendor], seen);
          assert.equal(headers.get('set-cookie'), null);
        }
      });

  const BROKEN: Readonly<Record<string, (vendor: Vendor) => Iterable<string>>> = {
    'without an end': (vendor) => [begun(vendor)],
    'of garbage': (vendor) => [begun(vendor), 'data: {"canary": [}\n\n'],
    'with an endless event': (vendor) => [
      begun(vendor),
      'data: {"canary":"',
      ...Array.from({ length: 6 }, () => 'canary'.repeat(200_000)),
    ],
    'with values of other types': (vendor) => [
      begun(vendor),
      sse({
        type: 'content_block_delta',
        delta: 'canary',
        choices: [{ index: 0, delta: { content: ['canary'] } }],
        candidates: 'canary',
      }),
    ],
  };
  for (const [kind, bytes] of Object.entries(BROKEN))
    test(`a stream ${kind} fails sealed in every caller's format`, async () => {
      script = streaming(bytes);
      for (const format of FORMATS)
        for (const vendor of foreign(format)) {
          const { headers, text } = await call(format, vendor, true);
          const seen = `${format} from ${vendor}: ${text.slice(0, 2000)}`;
          assert.deepEqual(canariesIn(JSON.stringify([...headers]) + text), [], seen);
          assert.match(text, /"(?:spillway_code|code|reason)":"[A-Z_]+"/, seen);
          assert.doesNotMatch(
            text,
            /\[DONE\]|message_stop|response\.completed|"finishReason"/,
            seen,
          );
        }
    });

  test('an answer of another format fails with a sealed error', async () => {
    for (const body of [
      '{"choices":"canary","content":"canary","candidates":"canary"}',
      '["canary"]',
    ])
      for (const format of FORMATS)
        for (const vendor of foreign(format)) {
          script = (_vendor, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(body);
          };
          const { status, headers, text } = await call(format, vendor, false);
          const seen = `${format} from ${vendor}: ${status} ${text}`;
          assert.ok(status >= 500, seen);
          assert.deepEqual(canariesIn(text), [], seen);
          assert.deepEqual(strangeHeaders(headers), [], seen);
        }
  });

  test('a request that is deep, or has values of other types, is refused as invalid', async () => {
    script = answering(false);
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const bodies = [
      `{"model":"${MODELS.openai}","max_tokens":5,"messages":[{"role":"user","content":${deep}}]}`,
      `{"model":"${MODELS.openai}","max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{"a":${deep}}}]}]}`,
      `{"model":"${MODELS.openai}","max_tokens":5,"messages":"Hello"}`,
      `{"model":"${MODELS.openai}","max_tokens":5,"messages":[{"role":"user","content":"x"}],"__proto__":{"a":1}}`,
    ];
    for (const body of bodies) {
      const response = await fetch(`${rig.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'a-key-for-tests-0123456789', 'content-type': 'application/json' },
        body,
      });
      const text = await response.text();
      assert.equal(response.status, 400, `${body.slice(0, 100)}: ${text}`);
      assert.match(text, /too_deep|messages|__proto__/, text);
    }
  });
});
