// Providers that answer in another form than requested: compressed, a stream to a unary request, JSON to a streaming request, cut.
// The provider is paid, so that the caller pays what the answer reports, else an estimate or the reservation.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type CostRig, openCostRig } from './cost-rig.ts';

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const TEXT = 'canary-text';
const MESSAGE = { id: 'm', type: 'message', role: 'assistant' };
const USAGE = { input_tokens: 100, output_tokens: 1000 };
const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 1000 };
const OUTPUT = [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }];
const CANDIDATES = [{ content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }];
const USAGE_METADATA = { promptTokenCount: 100, candidatesTokenCount: 1000 };
const RESPONSE = { id: 'r', object: 'response', status: 'completed', output: OUTPUT };
const CHAT_CHOICE = { index: 0, message: { role: 'assistant', content: TEXT } };

type Format = {
  readonly unary: string;
  readonly stream: string;
  readonly body: object;
  readonly json: object;
  readonly events: readonly (object | string)[];
  /** 100 input and 1,000 output tokens, in nanodollars. */
  readonly cost: number;
};

const FORMATS: Readonly<Record<string, Format>> = {
  messages: {
    unary: '/v1/messages',
    stream: '/v1/messages',
    body: { model: 'claude-sonnet-4-5', max_tokens: 5000, messages: MESSAGES },
    json: { ...MESSAGE, content: [{ type: 'text', text: TEXT }], usage: USAGE },
    events: [
      { type: 'message_start', message: { ...MESSAGE, usage: { ...USAGE, output_tokens: 1 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1000 } },
      { type: 'message_stop' },
    ],
    cost: 100 * 3000 + 1000 * 15_000,
  },
  chat: {
    unary: '/v1/chat/completions',
    stream: '/v1/chat/completions',
    body: { model: 'gpt-4o', max_tokens: 5000, messages: MESSAGES },
    json: { choices: [{ ...CHAT_CHOICE, finish_reason: 'stop' }], usage: CHAT_USAGE },
    events: [
      { choices: [{ index: 0, delta: { content: TEXT }, finish_reason: 'stop' }] },
      { choices: [], usage: CHAT_USAGE },
      '[DONE]',
    ],
    cost: 100 * 2500 + 1000 * 10_000,
  },
  responses: {
    unary: '/v1/responses',
    stream: '/v1/responses',
    body: { model: 'gpt-4.1', max_output_tokens: 5000, input: 'Hello' },
    json: { ...RESPONSE, usage: USAGE },
    events: [
      { type: 'response.output_text.delta', delta: TEXT },
      { type: 'response.completed', response: { ...RESPONSE, usage: USAGE } },
    ],
    cost: 100 * 2000 + 1000 * 8000,
  },
  gemini: {
    unary: '/v1beta/models/gemini-2.5-flash:generateContent',
    stream: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 5000 },
    },
    json: { candidates: CANDIDATES, usageMetadata: USAGE_METADATA },
    events: [{ candidates: CANDIDATES, usageMetadata: USAGE_METADATA }],
    cost: 100 * 300 + 1000 * 2500,
  },
};
const CODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;
const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';

let rig: CostRig;

suite('answers in another form than requested', () => {
  before(async () => {
    rig = await openCostRig();
  });
  after(() => rig.close());

  for (const [name, format] of Object.entries(FORMATS)) {
    const json = JSON.stringify(format.json);
    const events = eventText(format.events);
    const streamed =
      format.stream === format.unary ? { ...format.body, stream: true } : format.body;

    for (const [coding, encode] of CODINGS)
      test(`${name}: an answer with the coding ${coding} is decoded, served and charged`, async () => {
        const headers = { 'content-encoding': coding };
        const whole = answer(JSON_TYPE, encode(json), headers);
        const unary = await rig.call(format.unary, format.body, whole);
        assert.deepEqual([unary.status, unary.cost], [200, format.cost]);
        const stream = answer(SSE_TYPE, encode(events), headers);
        const relayed = await rig.call(format.stream, streamed, stream);
        assert.deepEqual([relayed.status, relayed.cost], [200, format.cost]);
      });

    test(`${name}: JSON to a streaming request is sealed and charged by its report`, async () => {
      for (const type of [JSON_TYPE, SSE_TYPE, 'text/plain']) {
        const answered = await rig.call(format.stream, streamed, answer(type, `\n${json}`));
        assert.equal(answered.cost, format.cost);
        assertSealed(answered);
      }
    });

    test(`${name}: JSON without a report to a streaming request costs an estimate`, async () => {
      const bare = JSON.stringify({ ...format.json, usage: undefined, usageMetadata: undefined });
      const answered = await rig.call(format.stream, streamed, answer(JSON_TYPE, bare));
      assert.ok(answered.cost > 0 && answered.cost < format.cost, `${answered.cost}`);
      assertSealed(answered);
    });

    test(`${name}: a stream to a unary request is sealed and charged by its report`, async () => {
      for (const type of [SSE_TYPE, JSON_TYPE]) {
        const answered = await rig.call(format.unary, format.body, answer(type, events));
        assert.equal(answered.cost, format.cost);
        assertSealed(answered);
      }
    });

    test(`${name}: an answer of which nothing can be read costs the reservation`, async () => {
      for (const unreadable of [
        answer(SSE_TYPE, ': processing\n\n'),
        answer(JSON_TYPE, 'canary-text', { 'content-encoding': 'gzip' }),
        answer(JSON_TYPE, 'canary-text', { 'content-encoding': 'compress' }),
      ]) {
        const answered = await rig.call(format.unary, format.body, unreadable);
        assert.ok(answered.cost > format.cost, `${answered.cost}`);
        assertSealed(answered);
      }
    });

    test(`${name}: a cut answer costs the same with and without a broken connection`, async () => {
      const half = json.slice(0, json.length / 2);
      const ended = await rig.call(format.unary, format.body, answer(JSON_TYPE, half));
      const broken = await rig.call(format.unary, format.body, (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': json.length });
        response.write(half, () => response.destroy());
      });
      assert.ok(ended.cost > 0);
      assert.deepEqual([ended.cost, ended.status], [broken.cost, broken.status]);
      assertSealed(ended);
    });

    test(`${name}: a page, an empty answer and an empty object cost nothing`, async () => {
      for (const body of ['<html>canary-text</html>', '', '{}']) {
        const unary = await rig.call(format.unary, format.body, answer('text/html', body));
        assert.equal(unary.cost, 0, body);
        assertSealed(unary);
        const stream = await rig.call(format.stream, streamed, answer('text/html', body));
        assert.equal(stream.cost, 0, body);
        assertSealed(stream);
      }
    });
  }

  test('an error within a stream to a unary request is sealed', async () => {
    const { unary, body, events } = FORMATS['messages'] as Format;
    const error = { type: 'error', error: { type: 'overloaded_error', message: TEXT } };
    const failing = answer(SSE_TYPE, eventText([...events.slice(0, 2), error]));
    assertSealed(await rig.call(unary, body, failing));
  });

  test('a compressed failure is mapped by its decoded body', async () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: TEXT } };
    const { unary, body } = FORMATS['messages'] as Format;
    const answered = await rig.call(unary, body, (response: ServerResponse) => {
      response.writeHead(400, { 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(error)));
    });
    assert.deepEqual([answered.status, answered.cost], [400, 0]);
  });
});

function answer(type: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(200, { ...headers, 'content-type': type });
    response.end(body);
  };
}

function assertSealed({ status, text }: { readonly status: number; readonly text: string }): void {
  assert.ok(status >= 500, `${status}`);
  assert.ok(!text.includes('canary'), text);
}

function eventText(events: readonly (object | string)[]): string {
  return events.map(oneEvent).join('');
}

function oneEvent(data: object | string): string {
  if (typeof data === 'string') return `data: ${data}\n\n`;
  const { type } = data as { readonly type?: string };
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
}
