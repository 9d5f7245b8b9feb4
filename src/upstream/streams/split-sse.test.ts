import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSseSplitter } from './split-sse.ts';

type Seen = { name: string; data: string; isWhole: boolean };

function split(chunks: readonly Buffer[], maxEventBytes?: number): Seen[] {
  const seen: Seen[] = [];
  const splitter = createSseSplitter((event) => {
    seen.push({
      name: event.name.toString('utf8', event.nameStart, event.nameEnd),
      data: event.data.toString('utf8', event.dataStart, event.dataEnd),
      isWhole: event.isWhole,
    });
  }, maxEventBytes);
  for (const chunk of chunks) splitter.feed(chunk);
  return seen;
}

function splitText(...chunks: string[]): [string, string][] {
  return split(chunks.map((chunk) => Buffer.from(chunk))).map(({ name, data }) => [name, data]);
}

test('an event has a name and data, and ends in an empty line', () => {
  assert.deepEqual(splitText('event: ping\ndata: {"a":1}\n\ndata: [DONE]\n\n'), [
    ['ping', '{"a":1}'],
    ['', '[DONE]'],
  ]);
});

test('LF, CR and CRLF end lines, even when a chunk ends between CR and LF', () => {
  const expected = [['x', '1']];
  assert.deepEqual(splitText('event: x\r\ndata: 1\r\n\r\n'), expected);
  assert.deepEqual(splitText('event: x\rdata: 1\r\r'), expected);
  assert.deepEqual(splitText('event: x\r\ndata: 1\n\r\n'), expected);
  assert.deepEqual(splitText('event: x\r', '\ndata: 1\r', '\n\r', '\n'), expected);
});

test('comments, unknown fields and events without data deliver nothing', () => {
  assert.deepEqual(splitText(': keep-alive\n\n\n\nid: 7\nretry: 10\n\nevent: lonely\n\n'), []);
  assert.deepEqual(splitText(': hello\ndata: 1\nid: 7\n\n'), [['', '1']]);
  assert.deepEqual(splitText('database: 1\n\n'), []);
});

test('several data lines are joined by line feeds, and one space after the colon is dropped', () => {
  assert.deepEqual(splitText('data: a\ndata:b\nevent: e\ndata:  c\ndata\n\n'), [
    ['e', 'a\nb\n c\n'],
  ]);
  assert.deepEqual(splitText('data: a\nda', 'ta:b', '\ndata: c\n\n'), [['', 'a\nb\nc']]);
  assert.deepEqual(splitText('data:\n\n', 'data\n\n'), [
    ['', ''],
    ['', ''],
  ]);
});

test('a byte order mark at the beginning is not part of the first field', () => {
  assert.deepEqual(splitText('\uFEFFdata: 1\n\n'), [['', '1']]);
});

test('an event within one chunk is not copied', () => {
  const chunk = Buffer.from('data: 1\n\ndata: 2\n\n');
  let count = 0;
  createSseSplitter((event) => {
    count += 1;
    assert.equal(event.data, chunk);
  }).feed(chunk);
  assert.equal(count, 2);
});

test('finish delivers an event whose empty line never came', () => {
  const seen: string[] = [];
  const splitter = createSseSplitter((event) => {
    seen.push(event.data.toString('utf8', event.dataStart, event.dataEnd));
  });
  splitter.feed(Buffer.from('data: 1\n\ndata: [DONE]'));
  splitter.finish();
  splitter.finish();
  assert.deepEqual(seen, ['1', '[DONE]']);
  assert.equal(splitter.pendingBytes, 0);
});

test('pendingBytes counts the bytes of an incomplete event', () => {
  const splitter = createSseSplitter(() => {});
  const pending = (text: string): number => {
    splitter.feed(Buffer.from(text));
    return splitter.pendingBytes;
  };
  assert.deepEqual(
    ['data: 1\n\n', 'data: 2\n\nda', 'ta: 3', '\n', '\ndat', 'a: 4\n\n'].map(pending),
    [0, 2, 7, 8, 3, 0],
  );
});

test('an event beyond the bound keeps its beginning and end, and the next event is whole', () => {
  const large = `{"type":"big",${'x'.repeat(100_000)},"usage":{"n":1}}`;
  const stream = Buffer.from(`event: big\ndata: ${large}\n\nevent: next\ndata: 2\n\n`);
  const chunks = Array.from({ length: Math.ceil(stream.length / 700) }, (_, index) =>
    stream.subarray(index * 700, (index + 1) * 700),
  );
  const [first, second] = split(chunks, 4096);
  assert.ok(first && second);
  assert.deepEqual(second, { name: 'next', data: '2', isWhole: true });
  assert.equal(first.isWhole, false);
  assert.equal(first.name, 'big');
  assert.ok(first.data.length <= 4096);
  assert.ok(first.data.startsWith('{"type":"big",'));
  assert.ok(first.data.endsWith(',"usage":{"n":1}}'));
});

test('feed returns false after an oversized event, on one line or on many', () => {
  for (const text of ['data: xxxxxxxx', 'data: x\n', 'event: x\n', ': comment\n']) {
    const splitter = createSseSplitter(() => {}, 2048);
    const piece = Buffer.from(text);
    let isWithinBounds = true;
    for (let fed = 0; fed < 20_000; fed += piece.length) isWithinBounds = splitter.feed(piece);
    assert.equal(isWithinBounds, false, text);
    splitter.feed(Buffer.from('\n\n'));
    splitter.finish();
  }
});

test('half a megabyte byte by byte takes linear time', () => {
  const stream = Buffer.from(`data: ${'y'.repeat(200_000)}\n\n`.repeat(3));
  const bytes = Array.from({ length: stream.length }, (_, at) => stream.subarray(at, at + 1));
  const seen = split(bytes);
  assert.equal(seen.length, 3);
  assert.ok(seen.every(({ isWhole, data }) => isWhole && data.length === 200_000));
});

const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
  fc.constantFrom('', '', '', 'event: e', 'event:f', ': note', 'id: 1', 'data', 'data:', 'junk'),
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

/** Reference implementation: the standard's algorithm on a whole text. */
function byTheBook(text: string): [string, string][] {
  const events: [string, string][] = [];
  let name = '';
  let data: string[] = [];
  for (const current of text.split(/\r\n|\r|\n/).slice(0, -1)) {
    const colon = current.indexOf(':');
    const field = colon < 0 ? current : current.slice(0, colon);
    const value = colon < 0 ? '' : current.slice(colon + 1).replace(/^ /, '');
    if (current === '') {
      if (data.length > 0) events.push([name, data.join('\n')]);
      name = '';
      data = [];
    } else if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
  }
  return events;
}

test('any stream in any chunks gives the events of the standard', () => {
  const stream = fc
    .array(fc.tuple(line, lineEnd), { maxLength: 40 })
    .map((lines) => lines.map(([text, end]) => text + end).join(''));
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 30 }), { maxLength: 200 }), (text, sizes) => {
      const bytes = Buffer.from(text);
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      const seen = split(chunks).map(({ name, data }) => [name, data]);
      assert.deepEqual(seen, byTheBook(text));
    }),
    { numRuns: 3000 },
  );
});
