import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  STREAM_BODY_BYTES,
  STREAM_CHUNKS,
  STREAM_END,
  STREAM_HEAD,
  UNARY_ANSWER,
  UNARY_BODY,
} from './fixed-answers.ts';
import { ResponseReader } from './response-reader.ts';

const STREAM_ANSWER = Buffer.concat([STREAM_HEAD, ...STREAM_CHUNKS, STREAM_END]);

test('an answer is read the same however the network cuts it', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: STREAM_ANSWER.length - 1 }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, fc.boolean(), (places, isStream) => {
      const answer = isStream ? STREAM_ANSWER : UNARY_ANSWER;
      const reader = new ResponseReader();
      const pieces = cut(answer, places);
      const completions = pieces.map((piece) => reader.read(piece));
      assert.deepEqual(completions.indexOf(true), pieces.length - 1);
      assert.equal(reader.status, 200);
      assert.equal(reader.bodyBytes, isStream ? STREAM_BODY_BYTES : UNARY_BODY.length);
    }),
  );
});

test('a refusal is read with the beginning of its text', () => {
  const reader = new ResponseReader();
  const head = 'HTTP/1.1 429 Too Many Requests\r\nContent-Length: 9\r\n\r\n';
  assert.equal(reader.read(Buffer.from(`${head}slow down`)), true);
  assert.equal(reader.status, 429);
  assert.equal(reader.errorText, 'slow down');
});

test('a reader that was reset reads the next answer', () => {
  const reader = new ResponseReader();
  assert.equal(reader.read(STREAM_ANSWER), true);
  reader.reset();
  assert.equal(reader.read(UNARY_ANSWER), true);
  assert.equal(reader.bodyBytes, UNARY_BODY.length);
});

test('an answer without a length is refused', () => {
  assert.throws(() => new ResponseReader().read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')));
});

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const inside = places.filter((place) => place < bytes.length);
  const edges = [0, ...new Set(inside.toSorted((a, b) => a - b)), bytes.length];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}
