// The searches of Gemini's grounding, in an answer and in a stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUsage } from '../attempt/read-usage.ts';
import { createStreamReader } from './reader.ts';

const USAGE = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };

function response(model: string | undefined, ...groundings: readonly object[]): object {
  const candidates = groundings.map((groundingMetadata) => ({
    content: { role: 'model', parts: [{ text: 'Hello' }] },
    groundingMetadata,
  }));
  return {
    candidates,
    usageMetadata: USAGE,
    ...(model === undefined ? {} : { modelVersion: model }),
  };
}

function unary(answer: object): number | undefined {
  const usage = readUsage('gemini', Buffer.from(JSON.stringify(answer)));
  return usage?.extras?.toolUses['google_search'];
}

function streamed(...elements: readonly object[]): number | undefined {
  const reader = createStreamReader('gemini');
  for (const element of elements) reader.push(Buffer.from(`data: ${JSON.stringify(element)}\n\n`));
  return reader.usage()?.extras?.toolUses['google_search'];
}

for (const [name, model, expected] of [
  ['Gemini 3 is charged for each query', 'gemini-3-pro-preview', 3],
  ['an answer without a model is charged for each query', undefined, 3],
  ['Gemini 2.5 is charged once', 'gemini-2.5-flash', 1],
  ['Gemini 2.0 is charged once', 'models/gemini-2.0-flash-001', 1],
] as const)
  test(`a grounded prompt of ${name}`, () => {
    const answer = response(model, { webSearchQueries: ['a', 'b', 'a', ''] });
    assert.equal(unary(answer), expected);
    assert.equal(streamed(answer), expected);
  });

test('queries of all candidates and queries for images count', () => {
  const answer = response(
    'gemini-3-flash',
    { webSearchQueries: ['a'], imageSearchQueries: ['b'] },
    { webSearchQueries: ['a', 'c'] },
  );
  assert.equal(unary(answer), 4);
  assert.equal(streamed(answer), 4);
});

test('elements of a stream that repeat a list count once, and those that add to it count each query', () => {
  const model = 'gemini-3-pro';
  const first = response(model, { webSearchQueries: ['a', 'b'] });
  const repeated = response(model, { webSearchQueries: ['a', 'b'] });
  const added = response(model, { webSearchQueries: ['c'] });
  assert.equal(streamed(first, repeated), 2);
  assert.equal(streamed(first, added, response(model, {})), 3);
});

test('queries in the arguments of a function call or in a text are not searches', () => {
  const parts = [
    { functionCall: { name: 'f', args: { webSearchQueries: ['a', 'b'] } } },
    { text: '{"groundingMetadata":{"webSearchQueries":["a","b"]}}' },
  ];
  const answer = { candidates: [{ content: { parts } }], usageMetadata: USAGE };
  assert.equal(unary(answer), undefined);
  assert.equal(streamed(answer), undefined);
});

test('a value that is no list, or a list of other values, counts nothing and does not throw', () => {
  for (const webSearchQueries of [null, 'a', {}, [], [1, null, {}], ['']]) {
    const answer = response('gemini-3-pro', { webSearchQueries });
    assert.equal(unary(answer), undefined);
    assert.equal(streamed(answer), undefined);
  }
});
