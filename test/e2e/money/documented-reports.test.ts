// Reports of usage in forms that the vendors' SDKs document: searches counted beside the usage, lifetimes of cache writes,
// a failed answer that reports what it used, a stream that breaks behind its last report. Each costs what is reported, no more
// and no less. Expected costs are written out with their arithmetic, in nanodollars.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { type CostRig, openCostRig } from './cost-rig.ts';

const LONG = '~'.repeat(12_000);
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 5000, messages: MESSAGES };
const CHAT = { model: 'gpt-4o', max_tokens: 5000, messages: MESSAGES };
const RESPONSES = { model: 'gpt-4.1', max_output_tokens: 5000, input: 'Hello' };
const COUNTS = { input_tokens: 1000, output_tokens: 100 };
const CHAT_COUNTS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

let rig: CostRig;

suite('documented reports of usage', () => {
  before(async () => {
    rig = await openCostRig();
  });
  after(() => rig.close());

  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };
  const call = { type: 'web_search_call', action: { type: 'search' } };
  const delta = { type: 'response.output_text.delta', delta: 'Hello' };
  const response = (fields: object, output: readonly object[] = [message]) => ({
    status: 'completed',
    output,
    usage: COUNTS,
    ...fields,
  });
  const completed = (answer: object) => [delta, { type: 'response.completed', response: answer }];
  const cost = async (path: string, body: object, answer: object) =>
    (await rig.call(path, body, answer)).cost;

  const searching = { ...RESPONSES, tools: [{ type: 'web_search' }], max_tool_calls: 9 };
  for (const [name, output, requests] of [
    ['that the answer does not show', [message], 5],
    ['fewer than the answer shows, because some are not charged', [call, call, message], 1],
    ['none, although the answer shows one', [call, message], 0],
  ] as const)
    test(`the searches of tool_usage are charged: ${name}`, async () => {
      const answer = response(
        { tool_usage: { image_gen: {}, web_search: { num_requests: requests } } },
        output,
      );
      // 1000 × 2000 + 100 × 8000 + 10,000,000 for each search
      const nanos = 2_800_000 + requests * 10_000_000;
      assert.equal(await cost('/v1/responses', searching, answer), nanos);
      const done = output.map((item) => ({ type: 'response.output_item.done', item }));
      for (const instructions of ['', LONG.repeat(30)]) {
        const events = [...done, ...completed({ instructions, ...answer })];
        const stream = { ...searching, stream: true };
        assert.equal(await cost('/v1/responses', stream, events), nanos);
      }
    });

  test('cache writes of OpenAI for twelve hours cost the price of long writes', async () => {
    const body = { ...RESPONSES, model: 'gpt-5.6-sol' };
    const usage = (details: object) => ({
      input_tokens: 1000,
      output_tokens: 10,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 600, ...details },
    });
    const written = (long: number, short: number) =>
      usage({ cache_write_tokens_details: { ttl_12h_tokens: long, ttl_30m_tokens: short } });
    const costOf = async (sent: object, reported: object) => {
      const unary = await cost('/v1/responses', sent, response({ usage: reported }));
      const events = completed(response({ usage: reported }));
      assert.equal(await cost('/v1/responses', { ...sent, stream: true }, events), unary);
      return unary;
    };
    const long = { ...body, prompt_cache_options: { ttl: '12h' } };
    const short = await costOf(body, usage({}));
    assert.equal(await costOf(long, written(0, 600)), short);
    // A long write costs 1.6 times as much as a short one, as with the other lifetimes that have no price of their own.
    const plain = await costOf(body, { input_tokens: 400, output_tokens: 10 });
    assert.equal(await costOf(body, written(600, 0)), plain + (short - plain) * 1.6);
    assert.equal(await costOf(long, usage({})), plain + (short - plain) * 1.6);
    assert.equal(await costOf(body, written(300, 300)), plain + (short - plain) * 1.3);
  });

  const failure = { code: 'server_error', message: 'Something broke' };
  for (const [name, path, body, answer, nanos] of [
    // 1000 × 2000 + 100 × 8000
    [
      'a response',
      '/v1/responses',
      RESPONSES,
      response({ status: 'failed', error: failure }),
      2_800_000,
    ],
    [
      'a streamed response',
      '/v1/responses',
      { ...RESPONSES, stream: true },
      [{ type: 'response.failed', response: response({ status: 'failed', error: failure }) }],
      2_800_000,
    ],
    // 1000 × 2500 + 100 × 10,000
    [
      'a choice of a chat',
      '/v1/chat/completions',
      CHAT,
      { choices: [{ index: 0, error: failure, message: { content: 'Hel' } }], usage: CHAT_COUNTS },
      3_500_000,
    ],
    [
      'a choice of a streamed chat',
      '/v1/chat/completions',
      { ...CHAT, stream: true },
      [{ choices: [{ index: 0, error: failure, delta: {} }], usage: CHAT_COUNTS }],
      3_500_000,
    ],
  ] as const)
    test(`${name} that fails with status 200 costs the usage that it reports`, async () => {
      const answered = await rig.call(path, body, answer);
      assert.deepEqual([answered.status, answered.cost], [503, nanos]);
    });

  test('a failure that reports no usage of its own costs nothing', async () => {
    const bare = response({ status: 'failed', error: failure, usage: null });
    assert.equal(await cost('/v1/responses', RESPONSES, bare), 0);
    const start = { type: 'message_start', message: { content: [], usage: COUNTS } };
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    assert.equal(await cost('/v1/messages', { ...CLAUDE, stream: true }, [start, error]), 0);
  });

  const block = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  };
  const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: LONG } };
  const claude = (first: object, last: object | undefined, ...deltas: readonly object[]) => [
    { type: 'message_start', message: { content: [], usage: first } },
    block,
    ...deltas,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last },
  ];
  const first = { input_tokens: 1000, output_tokens: 1 };

  test('a stream that breaks behind its last report costs the reported usage', async () => {
    const events = claude(first, { output_tokens: 100 }, text);
    // 1000 × 3000 + 100 × 15,000
    assert.equal(await cost('/v1/messages', { ...CLAUDE, stream: true }, events), 4_500_000);
    const chat = [
      { choices: [{ index: 0, delta: { content: LONG } }] },
      { choices: [], usage: CHAT_COUNTS },
    ];
    // 1000 × 2500 + 100 × 10,000
    assert.equal(await cost('/v1/chat/completions', { ...CHAT, stream: true }, chat), 3_500_000);
    const gemini = [
      {
        candidates: [{ content: { parts: [{ text: LONG }] } }],
        usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100 },
      },
    ];
    const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    // 1000 × 300 + 100 × 2500
    assert.equal(await cost(path, { contents }, gemini), 550_000);
  });

  test('a caller that leaves pays for the content that it got and for a refusal, although the stream fails after it left', async () => {
    const stream = { ...CLAUDE, stream: true };
    const start = { type: 'message_start', message: { content: [], usage: first } };
    const failed = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    // 1000 × 3000 + 12,000 ÷ 4 × 15,000
    const answered = await rig.leave('/v1/messages', stream, [start, block, text], [failed]);
    assert.equal(answered, 48_000_000);
    const chat = [{ choices: [{ index: 0, delta: { content: LONG } }] }];
    const error = { error: { type: 'server_error', message: 'Something broke' } };
    const sent = { ...CHAT, stream: true };
    const input = Math.ceil(JSON.stringify(sent).length / 4);
    const cost = await rig.leave('/v1/chat/completions', sent, chat, [error]);
    assert.equal(cost, input * 2500 + 3000 * 10_000);
    const thought = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'Hm' },
    };
    const refused = [
      { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 100 } },
      { type: 'message_stop' },
    ];
    // 1000 × 3000 + 100 × 15,000
    assert.equal(await rig.leave('/v1/messages', stream, [start, thought], refused), 4_500_000);
  });

  test('counts of Gemini cost the same in every notation of a number, unary and streamed', async () => {
    const counts = { promptTokenCount: 1000, candidatesTokenCount: 100 };
    const answer = {
      candidates: [{ content: { parts: [{ text: LONG }] }, finishReason: 'STOP' }],
      usageMetadata: counts,
    };
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const base = '/v1beta/models/gemini-2.5-flash:';
    for (const [thousand, hundred] of [
      ['1000', '100'],
      ['1e3', '1E+2'],
      ['1000.0', '99.5'],
      ['1000 ', '100\n'],
    ] as const) {
      const text = JSON.stringify(answer)
        .replace('1000', thousand)
        .replace(':100}', `:${hundred}}`);
      for (const [path, body] of [
        ['generateContent', text],
        ['streamGenerateContent', `[${text}]`],
        ['streamGenerateContent?alt=sse', `data: ${text.replaceAll('\n', ' ')}\n\n`],
      ] as const) {
        const type = path.endsWith('sse') ? 'text/event-stream' : 'application/json';
        const answered = await rig.call(base + path, { contents }, (response: ServerResponse) => {
          response.setHeader('content-type', type);
          response.end(body);
        });
        // 1000 × 300 + 100 × 2500
        assert.equal(answered.cost, 550_000, `${path} ${body.slice(-80)}`);
      }
    }
  });

  test('input that a stream reports as uncached at first, and in parts at its end, is charged once', async () => {
    const stop = { type: 'message_stop' };
    const body = { ...CLAUDE, stream: true };
    const parts = {
      input_tokens: 100,
      cache_read_input_tokens: 700,
      cache_creation_input_tokens: 200,
      output_tokens: 100,
    };
    // 100 × 3000 + 700 × 300 + 200 × 3750 + 100 × 15,000
    const split = [...claude(first, parts, text), stop];
    assert.equal(await cost('/v1/messages', body, split), 2_760_000);
    // A smaller last report takes nothing back: 1000 × 3000 + 100 × 15,000
    const less = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100 };
    assert.equal(await cost('/v1/messages', body, [...claude(first, less, text), stop]), 4_500_000);
  });

  test('a summary that is streamed without usage costs the estimate of its text', async () => {
    const summary = { type: 'compaction_delta', content: LONG };
    const events = [
      ...claude(first, undefined, { type: 'content_block_delta', index: 0, delta: summary }),
      { type: 'message_stop' },
    ];
    const body = { ...CLAUDE, stream: true, compaction: { type: 'summarize' } };
    // 1000 × 3000 + 12,000 ÷ 4 × 15,000
    assert.equal(await cost('/v1/messages', body, events), 48_000_000);
  });
});
