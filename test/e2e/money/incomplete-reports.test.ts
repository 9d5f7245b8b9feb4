// Providers that report their usage incompletely: a count is missing or is no count, or the last report of a stream precedes its
// content. The charge is never less than the reported counts with an estimate in place of the missing one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';
import { readUsage } from '../../../src/upstream/attempt/read-usage.ts';
import { ask, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import { ADMIN_KEY, openSealedRig, type SealedRig } from '../errors/sealed-rig.ts';

const TEXT = '~'.repeat(4000);
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 5000, messages: MESSAGES };
const CHAT = { model: 'gpt-4o', max_tokens: 5000, messages: MESSAGES };
const RESPONSES = { model: 'gpt-4.1', max_output_tokens: 5000, input: 'Hello' };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const GEMINI_PATH = '/v1beta/models/gemini-2.5-flash:generateContent';
const GEMINI_STREAM = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };

let server: Server;
let rig: SealedRig;
let respond: (response: ServerResponse) => void;

suite('an incomplete report of usage', () => {
  before(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => respond(response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    rig = await openSealedRig(`http://127.0.0.1:${address.port}`);
  });
  after(async () => {
    await rig.close();
    server.closeAllConnections();
    server.close();
  });

  const message = (usage: object | undefined, blocks: readonly object[] = []) => ({
    type: 'message',
    role: 'assistant',
    content: [...blocks, { type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
    usage,
  });
  const completion = (usage: object) => ({
    choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
    usage,
  });
  const response = (usage: object) => ({
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }],
    usage,
  });
  const generated = (usageMetadata: object | undefined, text = TEXT) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata,
  });

  // The estimate of 4000 bytes is 1000 tokens; the input is 100.
  for (const [name, count] of [
    ['missing', undefined],
    ['a text', '1000'],
    ['negative', -5],
    ['beyond any model', 2e9],
    ['zero', 0],
  ] as const)
    for (const [path, body, answer, nanos] of [
      [
        '/v1/messages',
        CLAUDE,
        message({ input_tokens: 100, output_tokens: count }),
        100 * 3000 + 1000 * 15_000,
      ],
      [
        '/v1/chat/completions',
        CHAT,
        completion({ prompt_tokens: 100, completion_tokens: count }),
        100 * 2500 + 1000 * 10_000,
      ],
      [
        '/v1/responses',
        RESPONSES,
        response({ input_tokens: 100, output_tokens: count }),
        100 * 2000 + 1000 * 8000,
      ],
      [
        GEMINI_PATH,
        GEMINI,
        generated({ promptTokenCount: 100, candidatesTokenCount: count }),
        100 * 300 + 1000 * 2500,
      ],
    ] as const)
      test(`${path} with an output count that is ${name} costs at least the estimate`, async () => {
        assert.ok((await costOf(path, body, answer)) >= nanos);
      });

  test('an input count that is missing costs the estimate of the request, and no more output than reported', async () => {
    const long = { ...CLAUDE, messages: [{ role: 'user', content: '~'.repeat(40_000) }] };
    const cost = await costOf('/v1/messages', long, message({ output_tokens: 10 }));
    const inputTokens = Math.ceil(JSON.stringify(long).length / 4);
    assert.equal(cost, inputTokens * 3000 + 10 * 15_000);
  });

  test('an empty answer without an output count costs its input', async () => {
    const empty = {
      ...generated({ promptTokenCount: 100 }),
      candidates: [{ finishReason: 'STOP' }],
    };
    assert.equal(await costOf(GEMINI_PATH, GEMINI, empty), 100 * 300);
  });

  test('tokens that only the total includes are charged as output', async () => {
    const chat = completion({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 1110 });
    assert.equal(await costOf('/v1/chat/completions', CHAT, chat), 100 * 2500 + 1010 * 10_000);
    const counts = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 1110 };
    assert.equal(await costOf(GEMINI_PATH, GEMINI, generated(counts)), 100 * 300 + 1010 * 2500);
    assert.equal(await costOf(GEMINI_STREAM, GEMINI, [generated(counts)]), 100 * 300 + 1010 * 2500);
    const withoutOutput = completion({ prompt_tokens: 100, total_tokens: 2100 });
    const cost = await costOf('/v1/chat/completions', CHAT, withoutOutput);
    assert.equal(cost, 100 * 2500 + 2000 * 10_000);
  });

  test('reasoning that exceeds the output is counted beside it', async () => {
    const counts = { prompt_tokens: 100, completion_tokens: 10 };
    const chat = completion({ ...counts, completion_tokens_details: { reasoning_tokens: 500 } });
    assert.equal(await costOf('/v1/chat/completions', CHAT, chat), 100 * 2500 + 510 * 10_000);
  });

  test('an input of zero costs the estimate of the request', async () => {
    const inputTokens = (body: object) => Math.ceil(JSON.stringify(body).length / 4);
    const chat = completion({ prompt_tokens: 0, completion_tokens: 10, total_tokens: 10 });
    const ofChat = await costOf('/v1/chat/completions', CHAT, chat);
    assert.equal(ofChat, inputTokens(CHAT) * 2500 + 10 * 10_000);
    const none = completion({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    const ofNone = await costOf('/v1/chat/completions', CHAT, none);
    assert.ok(ofNone >= inputTokens(CHAT) * 2500 + 1000 * 10_000);
    const cached = { input_tokens: 0, cache_read_input_tokens: 1000, output_tokens: 10 };
    const ofClaude = await costOf('/v1/messages', CLAUDE, message(cached));
    assert.equal(ofClaude, 1000 * 300 + 10 * 15_000);
  });

  test('cache writes without a lifetime cost the longest that the request asks for', async () => {
    const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 1000 };
    const five = { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 0 };
    const asking = (ttl?: string) => {
      const cache_control = { type: 'ephemeral', ttl };
      return { ...CLAUDE, system: [{ type: 'text', text: 'Hello', cache_control }] };
    };
    const rest = 100 * 3000 + 10 * 15_000;
    for (const [body, reported, nanos] of [
      [asking(), usage, 3750],
      [asking('1h'), usage, 6000],
      [asking('1h'), { ...usage, cache_creation: five }, 3750],
    ] as const) {
      assert.equal(await costOf('/v1/messages', body, message(reported)), rest + 1000 * nanos);
      const events = streamOf(reported, { output_tokens: 10 });
      const streamed = await costOf('/v1/messages', { ...body, stream: true }, events);
      assert.equal(streamed, rest + 1000 * nanos);
    }
  });

  test('embeddings that report the total alone cost the total', async () => {
    const answer = {
      object: 'list',
      data: [{ embedding: [0.5], index: 0 }],
      usage: { total_tokens: 1000 },
    };
    const body = { model: 'text-embedding-3-small', input: 'Hello' };
    assert.equal(await costOf('/v1/embeddings', body, answer), 1000 * 20);
  });

  test('the passes that compacted the context of a Messages request are charged', async () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 10,
      iterations: [
        { type: 'compaction', input_tokens: 50_000, output_tokens: 3000 },
        { type: 'message', input_tokens: 100, output_tokens: 10 },
      ],
    };
    const nanos = 50_100 * 3000 + 3010 * 15_000;
    assert.equal(await costOf('/v1/messages', CLAUDE, message(usage)), nanos);
    const events = streamOf({ input_tokens: 100, output_tokens: 1 }, usage);
    assert.equal(await costOf('/v1/messages', { ...CLAUDE, stream: true }, events), nanos);
  });

  test('the cached tokens of a compaction are charged, also where the last event leaves out the input', async () => {
    const iterations = [
      {
        type: 'compaction',
        input_tokens: 1000,
        output_tokens: 300,
        cache_read_input_tokens: 40_000,
        cache_creation_input_tokens: 5000,
        cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 3000 },
      },
      { type: 'message', input_tokens: 100, output_tokens: 10 },
    ];
    const usage = { input_tokens: 100, output_tokens: 10, iterations };
    const nanos = 1100 * 3000 + 310 * 15_000 + 40_000 * 300 + 2000 * 3750 + 3000 * 6000;
    assert.equal(await costOf('/v1/messages', CLAUDE, message(usage)), nanos);
    const last = { output_tokens: 10, iterations };
    const events = streamOf({ input_tokens: 100, output_tokens: 1 }, last);
    assert.equal(await costOf('/v1/messages', { ...CLAUDE, stream: true }, events), nanos);
  });

  test('a long context is priced by its largest iteration, and by the sum where iterations are missing', async () => {
    const pass = { type: 'message', input_tokens: 100_000, output_tokens: 3 };
    const cost = (iterations: readonly object[]) => {
      const usage = { input_tokens: 300_000, output_tokens: 10, iterations };
      return costOf('/v1/messages', CLAUDE, message(usage));
    };
    assert.equal(await cost([pass, pass, pass]), 300_000 * 3000 + 10 * 15_000);
    const long = { ...pass, input_tokens: 200_001 };
    assert.equal(await cost([pass, long]), 300_000 * 6000 + 10 * 22_500);
    assert.equal(await cost([pass]), 300_000 * 6000 + 10 * 22_500);
  });

  for (const [modality, mimeType, nanos] of [
    ['VIDEO', 'video/mp4', 12_000],
    ['IMAGE', 'image/png', 450],
    // Its pages are images.
    ['DOCUMENT', 'application/pdf', 450],
  ] as const)
    for (const details of ['promptTokenDetails', 'promptTokensDetails'])
      test(`${modality} that an embedding reads costs its own price, reported in ${details}`, async () => {
        const answer = {
          embedding: { values: [0.5] },
          usageMetadata: {
            promptTokenCount: 1000,
            [details]: [
              { modality: 'TEXT', tokenCount: 100 },
              { modality, tokenCount: 900 },
            ],
          },
        };
        const path = '/v1beta/models/gemini-embedding-2:embedContent';
        const data = { inlineData: { mimeType, data: 'AAAA' } };
        const cost = await costOf(path, { content: { parts: [data] } }, answer);
        assert.equal(cost, 100 * 200 + 900 * nanos);
      });

  test('a response that repeats a long request around its usage is charged by that usage', async () => {
    const answer = {
      ...response({ input_tokens: 70_000, output_tokens: 4000 }),
      service_tier: 'default',
      user: 'usage',
      metadata: { usage: 'x', service_tier: 'flex', note: 'usage' },
    };
    const end = { type: 'response.completed', response: answer };
    const instructions = '~'.repeat(300_000);
    const created = { type: 'response.created', response: { instructions } };
    const long = { ...end, response: { instructions, ...answer } };
    const delta = { type: 'response.output_text.delta', delta: 'Hello' };
    const body = { ...RESPONSES, instructions, stream: true };
    const cost = await costOf('/v1/responses', body, [created, delta, long]);
    assert.equal(cost, 70_000 * 2000 + 4000 * 8000);
  });

  const first = { input_tokens: 100, output_tokens: 1 };
  for (const [name, last] of [
    ['without a last report', undefined],
    ['whose last report is no count', { output_tokens: '1000' }],
  ] as const)
    test(`a Messages stream ${name} costs the estimate of its content`, async () => {
      const cost = await costOf('/v1/messages', { ...CLAUDE, stream: true }, streamOf(first, last));
      assert.equal(cost, 100 * 3000 + 1000 * 15_000);
    });

  test('a chat stream that reports its usage before its content costs the estimate of its content', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 1 };
    const events = [
      { choices: [{ index: 0, delta: { content: '' } }], usage },
      { choices: [{ index: 0, delta: { content: TEXT } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ];
    const cost = await costOf('/v1/chat/completions', { ...CHAT, stream: true }, events);
    assert.equal(cost, 100 * 2500 + 1000 * 10_000);
  });

  test('a Gemini stream that reports its usage before its content costs the estimate of its content', async () => {
    const counts = { promptTokenCount: 100, candidatesTokenCount: 1 };
    const events = [generated(counts, '~'), generated(undefined, '~'.repeat(3999))];
    assert.equal(await costOf(GEMINI_STREAM, GEMINI, events), 100 * 300 + 1000 * 2500);
  });

  test('an image of Gemini whose tokens are not reported by modality costs the price of image output', async () => {
    const path = (method: string) => `/v1beta/models/gemini-2.5-flash-image:${method}`;
    const counts = { promptTokenCount: 100, candidatesTokenCount: 1300, thoughtsTokenCount: 10 };
    const part = (mimeType: string, bytes: number) => ({
      inlineData: { mimeType, data: 'A'.repeat(bytes) },
    });
    const answer = (parts: readonly object[], usageMetadata: object = counts) => ({
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata,
    });
    const text = { text: 'Here it is' };
    const images = 100 * 300 + 1300 * 30_000 + 10 * 2500;
    for (const bytes of [100, 2_000_000]) {
      const image = part('image/png', bytes);
      const whole = answer([text, image]);
      assert.equal(await costOf(path('generateContent'), GEMINI, whole), images);
      const events = [answer([text], {}), answer([image], {}), answer([], counts)];
      const streamed = path('streamGenerateContent?alt=sse');
      assert.equal(await costOf(streamed, GEMINI, events), images);
      const candidatesTokensDetails = [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'IMAGE', tokenCount: 1290 },
      ];
      const detailed = { ...counts, candidatesTokensDetails };
      const nanos = 100 * 300 + 1290 * 30_000 + 20 * 2500;
      for (const [method, answered] of [
        ['generateContent', answer([text, image], detailed)],
        ['streamGenerateContent?alt=sse', [answer([text, image], {}), answer([], detailed)]],
      ] as const)
        assert.equal(await costOf(path(method), GEMINI, answered), nanos);
    }
    const spoken = answer([text, part('audio/wav', 100)]);
    assert.equal(await costOf(path('generateContent'), GEMINI, spoken), 100 * 300 + 1310 * 2500);
  });

  for (const [name, usage, nanos] of [
    // 200 × 2500 + 800 × 1250 + 10 × 10,000
    ['cached_tokens of Moonshot', { cached_tokens: 800 }, 1_600_000],
    ['prompt_cache_hit_tokens of DeepSeek', { prompt_cache_hit_tokens: 800 }, 1_600_000],
  ] as const)
    test(`${name} cost the price of cache reads`, async () => {
      const counts = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010, ...usage };
      assert.equal(await costOf('/v1/chat/completions', CHAT, completion(counts)), nanos);
    });

  test('cache writes of Alibaba cost the price of cache writes', () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 100, cache_creation_input_tokens: 700 },
    };
    const read = readUsage('openai', Buffer.from(JSON.stringify(completion(usage))));
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = read ?? NO_USAGE;
    assert.deepEqual([inputTokens, cacheReadTokens, cacheWriteTokens], [200, 100, 700]);
  });

  test('a chat stream that reports its usage within the last choice is charged by it', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
    const events = [
      { choices: [{ index: 0, delta: { content: 'Hi' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] },
    ];
    const cost = await costOf('/v1/chat/completions', { ...CHAT, stream: true }, events);
    assert.equal(cost, 1000 * 2500 + 10 * 10_000);
  });

  test('a chat stream that refuses costs the usage that it reports after its refusal', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const nanos = 1000 * 2500 + 100 * 10_000;
    const first = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
    const refusal = { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] };
    const asked = { ...CHAT, stream: true };
    for (const isSlow of [false, true]) {
      const events = [first, refusal, { choices: [], usage }];
      const answer = isSlow ? apart(events) : events;
      assert.equal(await costOf('/v1/chat/completions', asked, answer), nanos);
    }
    assert.equal(await costOf('/v1/chat/completions', asked, [first, refusal]), 0);
  });

  test('a chat stream that refuses after thinking costs the usage that it reports after its refusal', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const thinking = { choices: [{ index: 0, delta: { reasoning_content: TEXT } }] };
    const refusal = { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] };
    const asked = { ...CHAT, stream: true };
    const events = [thinking, refusal, { choices: [], usage }];
    for (const answer of [events, apart(events)])
      assert.equal(await costOf('/v1/chat/completions', asked, answer), 1000 * 2500 + 100 * 10_000);
    const estimate = Math.ceil(JSON.stringify(asked).length / 4) * 2500 + 1000 * 10_000;
    const unreported = apart([thinking, refusal]);
    assert.equal(await costOf('/v1/chat/completions', asked, unreported), estimate);
  });

  const uses = [1, 2, 3].map(() => ({ type: 'server_tool_use', name: 'web_search', input: {} }));
  const searching = { ...CLAUDE, tools: [SEARCH] };

  test('searches that a Messages answer shows are charged when the usage is missing', async () => {
    const cost = await costOf('/v1/messages', searching, message(undefined, uses));
    assert.ok(cost >= 3 * 10_000_000 + 1000 * 15_000, String(cost));
  });

  test('searches of a stream that breaks before its usage are charged', async () => {
    const [start = {}, ...rest] = streamOf(first, undefined, uses);
    const blocks = rest.filter((event) => JSON.stringify(event).includes('server_tool_use'));
    const cost = await costOf('/v1/messages', { ...searching, stream: true }, [start, ...blocks]);
    assert.ok(cost >= 3 * 10_000_000 + 100 * 3000, String(cost));
    const calls = [1, 2].map(() => ({
      type: 'response.output_item.done',
      item: { type: 'web_search_call', action: { type: 'search' } },
    }));
    const asked = { ...RESPONSES, stream: true, tools: [{ type: 'web_search' }] };
    const delta = { type: 'response.output_text.delta', delta: 'Hello' };
    assert.ok((await costOf('/v1/responses', asked, [...calls, delta])) >= 2 * 10_000_000);
  });

  test('searches that a Messages stream reports are charged as reported, and not as shown', async () => {
    const last = { output_tokens: 1000, server_tool_use: { web_search_requests: 1 } };
    const events = streamOf(first, last, uses);
    const cost = await costOf('/v1/messages', { ...searching, stream: true }, events);
    assert.equal(cost, 100 * 3000 + 1000 * 15_000 + 10_000_000);
  });
});

/** The cost in nanodollars of one call whose answer is an object, or a stream of the list's events. */
async function costOf(path: string, body: object, answer: Provider | object): Promise<number> {
  respond = (response) => {
    if (typeof answer === 'function') return void (answer as Provider)(response);
    response.setHeader(
      'content-type',
      Array.isArray(answer) ? 'text/event-stream' : 'application/json',
    );
    if (!Array.isArray(answer)) return void response.end(JSON.stringify(answer));
    for (const data of answer) response.write(eventOf(data));
    response.end();
  };
  const gateway = { url: rig.url, adminKey: ADMIN_KEY };
  const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000, requestsPerMinute: 1000 });
  await ask(tenant, { path, body });
  const { costUsd } = await usageOf(tenant, 1);
  return Math.round(costUsd * 1e9);
}

type Provider = (response: ServerResponse) => Promise<void>;

/** Sends each event in a packet of its own. */
function apart(events: readonly object[]): Provider {
  return async (response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const event of events) {
      response.write(eventOf(event));
      await sleep(systemClock, 30);
    }
    response.end();
  };
}

function eventOf(data: object): string {
  const { type } = data as { readonly type?: string };
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A Messages stream: the usage at its start, blocks, the text and the usage at its end. */
function streamOf(
  start: object,
  end: object | undefined,
  blocks: readonly object[] = [],
): readonly object[] {
  return [
    { type: 'message_start', message: { content: [], usage: start } },
    ...[...blocks, { type: 'text', text: '' }].map((content_block, index) => ({
      type: 'content_block_start',
      index,
      content_block,
    })),
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: end },
    { type: 'message_stop' },
  ];
}
