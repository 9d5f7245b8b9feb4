// A provider's stream becomes the same caller's stream however the network cuts it, and a stream that breaks its format throws.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answersOf } from '../../../test/support/translation/random-answers.ts';
import { eventsOf } from '../../../test/support/translation/random-conversations.ts';
import { TranslationProblem } from '../../translation/dialect.ts';
import { DIALECTS_BY_NAME } from '../../translation/dialects.ts';
import { keepFirstText, keepWholeText } from '../../translation/kept-text.ts';
import { DIALECTS, type DialectName } from '../../translation/neutral-request.ts';
import { StreamTranslator } from './stream-translator.ts';

const TERMS = { model: 'asked', includesUsage: true, isArray: false };

function translator(
  from: DialectName,
  to: DialectName,
  isArray = false,
  keepText = keepWholeText,
): StreamTranslator {
  return new StreamTranslator(
    DIALECTS_BY_NAME[from].createStreamReader(keepText),
    DIALECTS_BY_NAME[to].createStreamWriter({ ...TERMS, isArray }),
    { isArray, id: 'msg_0123456789abcdef0123456789abcdef', createdAt: 0 },
  );
}

/** The caller's bytes for these chunks of a provider's stream. */
function translate(stream: StreamTranslator, chunks: readonly Buffer[]): string {
  return Buffer.concat([
    ...chunks.map((chunk) => stream.push(Buffer.from(chunk))),
    stream.end(Buffer.alloc(0)),
  ]).toString();
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, at) => bytes.subarray(start, places[at]));
}

for (const from of DIALECTS)
  for (const to of DIALECTS)
    test(`a stream of ${from} gives a caller of ${to} the same bytes however it is cut`, () => {
      fc.assert(
        fc.property(
          answersOf(from, to),
          fc.array(fc.nat(), { maxLength: 30 }),
          fc.boolean(),
          (answer, cuts, isArray) => {
            const writer = DIALECTS_BY_NAME[from].createStreamWriter(TERMS);
            const events = eventsOf(answer, 3).map((event) => writer.write(event));
            const bytes = Buffer.from(events.join(''));
            const translated = (chunks: readonly Buffer[]) =>
              translate(translator(from, to, isArray && to === 'generate'), chunks);
            const whole = translated([bytes]);
            assert.equal(translated(cutAt(bytes, cuts)), whole);
            assert.equal(translated(cutAt(bytes, [...bytes.keys()])), whole);
          },
        ),
        { numRuns: 25 },
      );
    });

for (const from of DIALECTS)
  for (const to of DIALECTS.filter((each) => !DIALECTS_BY_NAME[each].repeatsTexts))
    test(`a caller of ${to} gets the same bytes from a reader of ${from} that keeps no texts`, () => {
      fc.assert(
        fc.property(answersOf(from, to), (answer) => {
          const writer = DIALECTS_BY_NAME[from].createStreamWriter(TERMS);
          const events = eventsOf(answer, 3).map((event) => writer.write(event));
          const chunks = [Buffer.from(events.join(''))];
          assert.equal(
            translate(translator(from, to, false, keepFirstText), chunks),
            translate(translator(from, to), chunks),
          );
        }),
        { numRuns: 25 },
      );
    });

test('a reader that keeps no texts keeps the first piece of a text and the arguments of a call', () => {
  const reader = DIALECTS_BY_NAME.chat.createStreamReader(keepFirstText);
  const chunk = (delta: object) => reader.push('', { id: 'c', choices: [{ index: 0, delta }] });
  const ask = (name: string, text: string) =>
    chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name, arguments: text } }] });
  const events = [
    ...['one', 'two', 'three'].flatMap((content) => chunk({ content })),
    ...['{"a":', '1}'].flatMap((text) => ask('f', text)),
    ...reader.end(),
  ];
  const parts = events.flatMap((event) => (event.kind === 'part_end' ? [event.part] : []));
  assert.deepEqual(parts, [
    { kind: 'text', text: 'one' },
    { kind: 'tool_call', id: 'call_1', name: 'f', arguments: '{"a":1}' },
  ]);
});

function sse(...events: readonly unknown[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

const MESSAGE_START = { type: 'message_start', message: { id: 'msg_vendor', usage: {} } };
const TEXT_START = { type: 'content_block_start', content_block: { type: 'text', text: '' } };
const CHUNK = { id: 'chatcmpl-vendor', choices: [{ index: 0, delta: { content: 'Hi' } }] };

test('a stream that breaks its format throws', () => {
  const broken: readonly (readonly [DialectName, Buffer])[] = [
    ['messages', sse(TEXT_START)],
    ['messages', sse(MESSAGE_START, MESSAGE_START)],
    ['messages', sse(MESSAGE_START, TEXT_START, TEXT_START)],
    ['messages', sse(MESSAGE_START, TEXT_START, { type: 'message_stop' })],
    ['messages', sse(MESSAGE_START, { ...TEXT_START, content_block: { type: 'tool_use' } })],
    ['chat', sse({ choices: 'none' })],
    ['chat', sse({ choices: [{ delta: { content: { text: 'Hi' } } }] })],
    ['responses', sse({ type: 'response.created' })],
    ['responses', sse({ type: 'response.output_item.added', item: { type: 'reasoning' } })],
    ['generate', sse({ candidates: [{ content: { parts: [{ functionCall: {} }] } }] })],
    ['generate', sse({ candidates: [null] })],
    ['chat', Buffer.from('data: {"choices":[\n\n')],
    ['chat', Buffer.from(`data: {"x":${'['.repeat(200_000)}\n\n`)],
  ];
  for (const [from, bytes] of broken)
    for (const to of DIALECTS)
      assert.throws(
        () => translator(from, to).push(bytes),
        Error,
        `${from}: ${bytes.toString('utf8', 0, 200)}`,
      );
});

test('a stream that stops without its end event throws', () => {
  for (const [from, bytes] of [
    ['messages', sse(MESSAGE_START, TEXT_START)],
    ['messages', sse()],
    ['responses', sse({ type: 'response.created', response: {} })],
    ['chat', sse()],
    ['generate', sse()],
  ] as const)
    assert.throws(() => translator(from, 'chat').end(bytes), TranslationProblem, from);
});

test('an event, a text and a number of parts beyond the bounds throw', () => {
  const stream = translator('chat', 'messages');
  const piece = Buffer.alloc(1024 * 1024, 'x');
  assert.throws(() => {
    stream.push(Buffer.from('data: {"x":"'));
    for (let pushed = 0; pushed < 64; pushed += 1) stream.push(piece);
    stream.push(Buffer.from('"}\n\n'));
  }, /too large/);
  const long = translator('chat', 'responses');
  const chunk = sse({ choices: [{ delta: { content: 'x'.repeat(1_000_000) } }] });
  assert.throws(() => {
    for (let pushed = 0; pushed < 64; pushed += 1) long.push(chunk);
  }, /too long/);
  const many = translator('generate', 'chat');
  const call = sse({ candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] } }] });
  assert.throws(() => {
    for (let pushed = 0; pushed < 20_000; pushed += 1) many.push(call);
  }, /too long/);
});

test('events after the end are ignored', () => {
  const stream = translator('messages', 'chat');
  const stop = { type: 'message_stop' };
  const whole = stream.push(sse(MESSAGE_START, stop)).toString();
  assert.match(whole, /\[DONE\]\n\n$/);
  assert.equal(stream.push(sse(TEXT_START, MESSAGE_START, stop)).toString(), '');
  assert.equal(stream.end(Buffer.alloc(0)).toString(), '');
});

test('ids of calls are unique over answers and differ from the provider ids', () => {
  const call = { name: 'look', arguments: '{}' };
  const chunk = {
    choices: [{ delta: { tool_calls: [{ index: 0, id: 'call_vendor', function: call }] } }],
  };
  const written = translator('chat', 'messages')
    .push(sse({ id: 'vendor', ...chunk }))
    .toString();
  assert.doesNotMatch(written, /vendor/);
  assert.match(written, /"id":"toolu_cdef0123456789abcdef_0"/);
});

test('comments, other events and unknown fields of a provider write nothing', () => {
  const stream = translator('chat', 'chat');
  stream.push(sse({ ...CHUNK, system_fingerprint: 'fp_vendor', service_tier: 'vendor' }));
  const rest = stream.end(
    Buffer.from(': vendor\n\nevent: vendor\ndata: vendor\n\ndata: [DONE]\n\n'),
  );
  assert.doesNotMatch(rest.toString(), /vendor/);
});
