import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PROVIDER_FORMATS, type ProviderFormat } from '../../kernel/provider-format.ts';
import { StreamAnswer } from './stream-answer.ts';

const ROOMY = 64 * 1024;
const SECRET = 'canary-secret';

function sse(data: unknown, name?: string): string {
  const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}

function named(type: string, rest: object = {}): string {
  return sse({ type, ...rest }, type);
}

function chat(delta: object, finish: string | null = null): string {
  return sse({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });
}

function candidate(text: string, rest: object = {}): object {
  return { candidates: [{ content: { parts: [{ text }], role: 'model' }, ...rest }] };
}

/** Events before content, content events, the end event and an error event of each format. */
const STREAMS: Record<
  ProviderFormat,
  { before: string[]; content: string[]; end: string[]; error: string }
> = {
  anthropic: {
    before: [
      named('message_start', {
        message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1 } },
      }),
      named('ping'),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ],
    content: ['Hello', ' wörld 🌍', '!'].map((text) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    ),
    end: [
      named('content_block_stop', { index: 0 }),
      named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
      named('message_stop'),
    ],
    error: named('error', { error: { type: 'overloaded_error', message: SECRET } }),
  },
  openai: {
    before: [': keep-alive\n\n', chat({ role: 'assistant', content: '' })],
    content: ['Hello', ' wörld 🌍', '!'].map((content) => chat({ content })),
    end: [
      chat({}, 'stop'),
      sse({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } }),
      sse('[DONE]'),
    ],
    error: sse({ error: { message: SECRET, type: 'server_error', code: null } }),
  },
  gemini: {
    before: [': keep-alive\n\n'],
    content: ['Hello', ' wörld 🌍', '!'].map((text) => sse(candidate(text))),
    end: [
      sse({
        ...candidate('', { finishReason: 'STOP' }),
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
      }),
    ],
    error: sse({ error: { code: 503, message: SECRET, status: 'UNAVAILABLE' } }),
  },
};

type Run = { relayed: string; kind: 'complete' | 'error' | 'broken'; raw: string };

/** Feeds the chunks as an attempt would, up to the first outcome. */
function run(answer: StreamAnswer, pieces: readonly Buffer[], releaseAt = -1): Run {
  const relayed: Buffer[] = [];
  const text = (): string => Buffer.concat(relayed).toString();
  for (const [index, piece] of pieces.entries()) {
    if (index === releaseAt) relayed.push(Buffer.from(answer.release()));
    const step = answer.take(piece);
    if (step.kind === 'relay' || step.kind === 'complete') relayed.push(Buffer.from(step.bytes));
    if (step.kind === 'complete' || step.kind === 'broken')
      return { relayed: text(), kind: step.kind, raw: '' };
    if (step.kind === 'error') return { relayed: text(), kind: 'error', raw: step.raw.toString() };
  }
  const step = answer.end();
  if (step.kind === 'complete') relayed.push(Buffer.from(step.bytes));
  const kind = step.kind === 'wait' || step.kind === 'relay' ? 'broken' : step.kind;
  return { relayed: text(), kind, raw: step.kind === 'error' ? step.raw.toString() : '' };
}

/** Any split of the bytes into chunks, single bytes included. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes.length === 0 ? bytes.length : (sizes[index % sizes.length] ?? 1);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const anyCut = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 12 });
const anyFormat = fc.constantFrom(...PROVIDER_FORMATS);
/** From smaller than any event to larger than all. */
const anyBound = fc.constantFrom(1, 50, 150, 400, ROOMY);
const anyRelease = fc.integer({ min: -1, max: 6 });

test('a clean stream in any chunks and bounds is relayed byte for byte and completes', () => {
  fc.assert(
    fc.property(anyFormat, anyCut, anyBound, anyRelease, (format, sizes, bound, releaseAt) => {
      const { before, content, end } = STREAMS[format];
      const whole = [...before, ...content, ...end].join('');
      const answer = new StreamAnswer(format, bound);
      const { relayed, kind } = run(answer, cut(Buffer.from(whole), sizes), releaseAt);
      assert.equal(relayed, whole);
      // The rest of an event without its middle may not contain the end marker.
      if (bound === ROOMY) assert.equal(kind, 'complete');
    }),
    { numRuns: 400 },
  );
});

test("Gemini's array is relayed byte for byte", () => {
  const whole = `[${JSON.stringify(candidate('Hello'))}\n,\r\n${JSON.stringify(candidate('', { finishReason: 'STOP' }))}]`;
  fc.assert(
    fc.property(anyCut, (sizes) => {
      const { relayed, kind } = run(
        new StreamAnswer('gemini', ROOMY),
        cut(Buffer.from(whole), sizes),
      );
      assert.deepEqual([relayed, kind], [whole, 'complete']);
    }),
  );
});

test('no byte of an error event is relayed, in any chunks, at any position, after any release', () => {
  fc.assert(
    fc.property(anyFormat, anyCut, fc.nat(5), anyRelease, (format, sizes, place, releaseAt) => {
      const { before, content, error } = STREAMS[format];
      const good = [...before, ...content].slice(0, place).join('');
      const pieces = cut(Buffer.from(good + error), sizes);
      const { relayed, kind, raw } = run(new StreamAnswer(format, ROOMY), pieces, releaseAt);
      assert.equal(kind, 'error');
      assert.ok(good.startsWith(relayed), relayed);
      assert.ok(raw.includes(SECRET));
    }),
    { numRuns: 400 },
  );
});

test('a release before content does not relay half an error event', () => {
  const { before, error } = STREAMS.anthropic;
  fc.assert(
    fc.property(anyCut, fc.integer({ min: 1, max: 20 }), (sizes, pings) => {
      const noise = (before[1] ?? '').repeat(pings);
      const answer = new StreamAnswer('anthropic', 300);
      const { relayed, kind } = run(answer, cut(Buffer.from(noise + error), sizes));
      assert.equal(kind, 'error');
      assert.ok(noise.startsWith(relayed), relayed.slice(-120));
    }),
    { numRuns: 300 },
  );
});

test('the first content releases all withheld events at once', () => {
  for (const format of PROVIDER_FORMATS) {
    const { before, content } = STREAMS[format];
    const answer = new StreamAnswer(format, ROOMY);
    for (const event of before) assert.equal(answer.take(Buffer.from(event)).kind, 'wait');
    assert.equal(answer.hasContent, false);
    const step = answer.take(Buffer.from(content[0] ?? ''));
    assert.ok(step.kind === 'relay');
    assert.equal(step.bytes.toString(), before.join('') + content[0]);
    assert.equal(answer.hasContent, true);
  }
});

test('a keep-alive after content is not content', () => {
  const { content, before } = STREAMS.anthropic;
  const answer = new StreamAnswer('anthropic', ROOMY);
  answer.take(Buffer.from(content[0] ?? ''));
  assert.equal(answer.broughtContent, true);
  answer.take(Buffer.from(before[1] ?? ''));
  assert.equal(answer.broughtContent, false);
});

test('a stream cut at any position is broken', () => {
  for (const format of ['anthropic', 'openai'] as const) {
    const { before, content, end } = STREAMS[format];
    const text = Buffer.from([...before, ...content, end[0]].join(''));
    // An OpenAI stream may end after its finish reason, so cuts lie before it.
    const last = text.length - Buffer.byteLength(end[0] ?? '');
    for (let length = 0; length <= last; length += 7) {
      const { kind } = run(new StreamAnswer(format, ROOMY), [text.subarray(0, length)]);
      assert.equal(kind, 'broken', `${format} cut at ${length}`);
    }
  }
});

test('an event larger than the bound is relayed in parts in bounded memory', () => {
  const large = named('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'x'.repeat(100_000) },
  });
  const answer = new StreamAnswer('anthropic', 1000);
  let held = 0;
  let most = 0;
  let relayed = '';
  for (const piece of cut(Buffer.from(large), [300])) {
    const step = answer.take(piece);
    held += piece.length;
    if (step.kind === 'relay') {
      held -= step.bytes.length;
      relayed += step.bytes.toString();
    }
    most = Math.max(most, held);
  }
  assert.equal(relayed, large);
  assert.ok(most <= 1300, `${most} bytes were held`);
});

test('usage is available at the end of the stream', () => {
  for (const format of PROVIDER_FORMATS) {
    const { before, content, end } = STREAMS[format];
    const answer = new StreamAnswer(format, ROOMY);
    run(answer, [Buffer.from([...before, ...content, ...end].join(''))]);
    assert.equal(answer.usage()?.inputTokens, 5, format);
    assert.equal(answer.usage()?.outputTokens, 3, format);
    assert.ok(answer.outputBytes() > 0);
  }
});

test('relayed bytes of an array end with an element, so that an error can be appended', () => {
  const elements = ['one', 'two', 'three'].map((text) => JSON.stringify(candidate(text)));
  const separators = [',', ',\r\n', '\n,\n', ' , '] as const;
  fc.assert(
    fc.property(anyCut, fc.constantFrom(...separators), fc.nat(), (sizes, separator, length) => {
      const whole = Buffer.from(`[${elements.join(separator)}${separator}`);
      const text = whole.subarray(0, length % (whole.length + 1));
      const { relayed } = run(new StreamAnswer('gemini', ROOMY), cut(text, sizes));
      if (relayed === '') return;
      const ended: unknown = JSON.parse(`${relayed},{"error":{}}]`);
      assert.ok(Array.isArray(ended) && ended.length >= 2);
    }),
  );
});

test('the usage event that the caller did not ask for is removed, and nothing else, for any chunks', () => {
  const usage = sse({ id: 'c', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } });
  const before = chat({ content: 'Hello' }) + ': ping\n\n' + chat({}, 'stop');
  const after = sse('[DONE]');
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 8 }), fc.boolean(), (cuts, removes) => {
      const stream = Buffer.from(before + usage + after);
      const answer = new StreamAnswer('openai', ROOMY, removes);
      const relayed: Buffer[] = [];
      const ends = [...cuts.filter((cut) => cut < stream.length), stream.length];
      let start = 0;
      for (const end of ends.sort((one, other) => one - other)) {
        const step = answer.take(stream.subarray(start, end));
        start = end;
        if (step.kind === 'relay' || step.kind === 'complete') relayed.push(step.bytes);
      }
      assert.equal(String(Buffer.concat(relayed)), before + (removes ? '' : usage) + after);
      assert.equal(answer.usage()?.outputTokens, 3);
    }),
  );
});

test('a stream of comments, keep-alives or empty elements without content is broken off after 100,000 of them', () => {
  for (const [format, unit] of [
    ['openai', ':\n'],
    ['openai', '\n'],
    ['anthropic', named('ping')],
    ['gemini', 'data: {}\n\n'],
  ] as const) {
    const answer = new StreamAnswer(format, ROOMY);
    const chunk = Buffer.from(unit.repeat(1000));
    const ending = Array.from({ length: 200 }).findIndex(
      () => answer.take(chunk).kind === 'broken',
    );
    assert.ok(ending > 30 && ending <= 100, `${unit}: ${ending}`);
  }
});

test('comments between contents of a long stream do not break it off', () => {
  const answer = new StreamAnswer('openai', ROOMY);
  const comments = Buffer.from(': ping\n\n'.repeat(1000));
  for (let round = 0; round < 200; round += 1) {
    assert.notEqual(answer.take(comments).kind, 'broken');
    assert.equal(answer.take(Buffer.from(chat({ content: 'Hello' }))).kind, 'relay');
  }
});
