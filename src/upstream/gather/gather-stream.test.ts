import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as fc from 'fast-check';
import { systemClock } from '../../kernel/clock.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { answerText } from '../attempt/answer-text.ts';
import { createStreamGatherer } from './gather-stream.ts';

const ENOUGH_BYTES = 64 * 2 ** 20;

function gathered(format: ProviderFormat, pieces: Iterable<Buffer>) {
  const gatherer = createStreamGatherer(format, ENOUGH_BYTES);
  let text = '';
  for (const piece of pieces) {
    assert.ok(gatherer.push(piece));
    assert.ok(gatherer.text().startsWith(text), 'the words so far only grow');
    text = gatherer.text();
  }
  const body = gatherer.body();
  const answer: unknown = body && JSON.parse(body.toString());
  if (body) assert.equal(gatherer.text(), answerText(format, answer));
  return { text, answer };
}

type Endpoint = {
  readonly format: ProviderFormat;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The changes that turn the request into a streaming one. */
  readonly streamPath?: string;
  readonly streamFields?: Readonly<Record<string, unknown>>;
};

const HELLO = [{ role: 'user', content: 'Hello' }];
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const GEMINI = '/v1beta/models/gemini-2.5-flash';
const FUNCTION = { name: 'look', parameters: SCHEMA };
const GEMINI_CALL = {
  format: 'gemini',
  path: `${GEMINI}:generateContent`,
  body: { contents: CONTENTS, tools: [{ functionDeclarations: [FUNCTION] }] },
} as const;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  Messages: {
    format: 'anthropic',
    path: '/v1/messages',
    body: {
      model: 'claude-sonnet-5-5',
      max_tokens: 500,
      messages: HELLO,
      tools: [{ name: 'look', input_schema: SCHEMA }],
    },
    streamFields: { stream: true },
  },
  'Chat Completions': {
    format: 'openai',
    path: '/v1/chat/completions',
    body: {
      model: 'gpt-5-mini',
      messages: HELLO,
      tools: [{ type: 'function', function: FUNCTION }],
    },
    streamFields: { stream: true, stream_options: { include_usage: true } },
  },
  Responses: {
    format: 'openai',
    path: '/v1/responses',
    body: { model: 'gpt-5-mini', input: 'Hello', tools: [{ type: 'function', ...FUNCTION }] },
    streamFields: { stream: true },
  },
  'Gemini’s events': { ...GEMINI_CALL, streamPath: `${GEMINI}:streamGenerateContent?alt=sse` },
  'Gemini’s array': { ...GEMINI_CALL, streamPath: `${GEMINI}:streamGenerateContent` },
};

const SCENARIOS: Readonly<Record<string, object>> = {
  'a few words': { text: 'Grüße, 世界! "Quoted" \\ and\nmore 🌍 words than fit one chunk.' },
  'thoughts and a call': { text: 'I will look.', thinking: 'Let me see… 🤔', toolCall: 'look' },
  'a call alone': { text: '', toolCall: 'look' },
  'the most that may be said': { text: 'cut short here', stopReason: 'max_tokens' },
};

/** Ids and times differ between responses, and the signature derives from the id. */
function lasting(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, field: unknown) =>
    /^(id|call_id|signature|created|created_at|responseId)$/.test(name) ? undefined : field,
  );
}

suite('the assembled stream of', () => {
  let simulator: Simulator;
  before(async () => {
    simulator = await startSimulator({ clock: systemClock });
  });
  after(() => simulator.close());

  async function fetched(path: string, body: object): Promise<Buffer> {
    const response = await fetch(simulator.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', authorization: 'Bearer k' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  }

  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    const { format, path, body, streamPath = path, streamFields = {} } = endpoint;
    for (const [said, scenario] of Object.entries(SCENARIOS)) {
      test(`${name} with ${said} equals the unary response, in any chunks`, async () => {
        simulator.setScenario(scenario);
        const whole: unknown = JSON.parse((await fetched(path, body)).toString());
        const stream = await fetched(streamPath, { ...body, ...streamFields });
        const { answer } = gathered(format, [stream]);
        assert.deepEqual(lasting(answer), lasting(whole));
        assert.equal('toolCall' in scenario, /"look"/.test(JSON.stringify(answer)));
        const cuts = fc.array(fc.nat(stream.length), { maxLength: 12 });
        fc.assert(
          fc.property(cuts, (places) => {
            assert.deepEqual(gathered(format, cutAt(stream, places)).answer, answer);
          }),
          { numRuns: 30 },
        );
        const bytes = Array.from(stream, (byte) => Buffer.of(byte));
        assert.deepEqual(gathered(format, bytes).answer, answer);
      });
    }
  }
});

function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...places.toSorted((one, other) => one - other), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

suite('arbitrary input', () => {
  test('never throws and never changes a prototype', () => {
    const names = fc.constantFrom('type', 'index', 'delta', 'choices', 'content', '__proto__');
    const kinds = fc.constantFrom(
      'message_start',
      'content_block_delta',
      'response.completed',
      'x',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(kinds, fc.integer(), fc.constant(null), fc.boolean()),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.array(fc.tuple(names, tie('tree')), { maxLength: 4 }).map(Object.fromEntries),
      ),
    }));
    const events = fc.array(tree, { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom('anthropic', 'openai', 'gemini'), events, (format, given) => {
        const gatherer = createStreamGatherer(format, ENOUGH_BYTES);
        for (const event of given) gatherer.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
        assert.equal(typeof gatherer.text(), 'string');
        gatherer.body();
        assert.deepEqual(Object.keys(Object.prototype), []);
      }),
    );
  });

  test('endless nesting is ignored', () => {
    const deep = `${'{"choices":['.repeat(50_000)}1${']}'.repeat(50_000)}`;
    const gatherer = createStreamGatherer('openai', ENOUGH_BYTES);
    gatherer.push(Buffer.from(`data: {"choices":[{"delta":${deep}}]}\n\n`));
    assert.equal(gatherer.text(), '');
    gatherer.body();
  });

  test('a stream beyond maxBytes has no body', () => {
    const gatherer = createStreamGatherer('openai', 200);
    const piece = Buffer.from('data: {"choices":[{"delta":{"content":"a word"}}]}\n\n');
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => gatherer.push(piece)),
      [true, true, true, false, false],
    );
    assert.deepEqual([gatherer.text(), gatherer.body()], ['', undefined]);
  });

  test('a last event without its empty line is read, a cut event is not', () => {
    const last = 'data: {"choices":[{"delta":{"content":"Hi"}}]}';
    assert.equal(gathered('openai', [Buffer.from(last)]).answer !== undefined, true);
    assert.equal(gathered('openai', [Buffer.from(last.slice(0, -3))]).answer, undefined);
  });
});
