import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import type { Answer } from '../answers.ts';
import { PLAIN_PARTS } from '../answers.ts';
import { chunksOf } from './chunks.ts';

function answerOf(text: string): Answer {
  return {
    id: 'x',
    model: 'm',
    createdAt: 0,
    thinking: '',
    text,
    toolCalls: [],
    stopReason: 'end',
    stopSequence: undefined,
    usage: {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
      thinkingTokens: 0,
      ...PLAIN_PARTS,
    },
  };
}

test('the pieces of a text concatenate to the text for any chunking', () => {
  const chunking = fc.record(
    { chunks: fc.integer({ min: 1, max: 50 }), chunkBytes: fc.integer({ min: 1, max: 20 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), chunking, (text, chosen) => {
      const pieces = [...chunksOf(answerOf(text), chosen)];
      assert.equal(pieces.map((piece) => piece.delta).join(''), text);
      assert.ok(pieces.every((piece) => piece.delta.isWellFormed() || !text.isWellFormed()));
      assert.ok(pieces.every((piece) => piece.bytes > 0));
    }),
  );
});

test('a text is split into exactly the requested number of chunks', () => {
  const pieces = [...chunksOf(answerOf('x'.repeat(1_000)), { chunks: 100 })];
  assert.equal(pieces.length, 100);
});
