import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NO_USAGE } from '../kernel/usage.ts';
import { createTokenEstimator } from './token-estimate.ts';

test('at first a token is four bytes, rounded up', () => {
  const estimator = createTokenEstimator();
  assert.equal(estimator.inputTokens('m', 400), 100);
  assert.equal(estimator.outputTokens('m', 5), 2);
  assert.equal(estimator.outputTokens('m', 0), 0);
});

test('it learns a model from what its provider counts, and that model alone', () => {
  const estimator = createTokenEstimator();
  const usage = { ...NO_USAGE, inputTokens: 200, cacheReadTokens: 300, outputTokens: 500 };
  for (let turn = 0; turn < 200; turn += 1) estimator.learn('m', 1000, 2500, usage);
  assert.ok(Math.abs(estimator.inputTokens('m', 10_000) - 5000) <= 5);
  assert.ok(Math.abs(estimator.outputTokens('m', 10_000) - 2000) <= 5);
  assert.equal(estimator.inputTokens('other', 10_000), 2500);
});

test('one strange answer moves little, and short or empty ones nothing', () => {
  const estimator = createTokenEstimator();
  estimator.learn('m', 100, 0, { ...NO_USAGE, inputTokens: 100 });
  estimator.learn('m', 5000, 5000, NO_USAGE);
  assert.equal(estimator.inputTokens('m', 10_000), 2500);
  estimator.learn('m', 10_000_000, 0, { ...NO_USAGE, inputTokens: 1 });
  const moved = estimator.inputTokens('m', 10_000);
  assert.ok(moved < 2500 && moved > 2300);
});

test('hidden reasoning does not teach that text is dense', () => {
  const estimator = createTokenEstimator();
  estimator.learn('m', 0, 4000, { ...NO_USAGE, outputTokens: 9000, reasoningTokens: 8000 });
  assert.equal(estimator.outputTokens('m', 4000), 1000);
});

test('a cut stream keeps what it told and estimates the rest', () => {
  const estimator = createTokenEstimator();
  const told = { ...NO_USAGE, inputTokens: 25, cacheReadTokens: 1000, outputTokens: 1 };
  assert.deepEqual(estimator.complete('m', 9000, 400, told), {
    usage: { ...told, outputTokens: 100 },
    estimated: true,
  });
  assert.deepEqual(estimator.complete('m', 9000, 400, { ...told, outputTokens: 120 }).usage, {
    ...told,
    outputTokens: 120,
  });
  assert.deepEqual(estimator.complete('m', 800, 0, undefined).usage, {
    ...NO_USAGE,
    inputTokens: 200,
  });
});

test('whatever it is taught, an estimate stays between a sixteenth of the bytes and all of them', () => {
  const lesson = fc.record({
    input: fc.nat(),
    output: fc.nat(),
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    reasoningTokens: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(lesson), fc.nat({ max: 1_000_000 }), (lessons, bytes) => {
      const estimator = createTokenEstimator();
      for (const { input, output, ...counts } of lessons)
        estimator.learn('m', input, output, { ...NO_USAGE, ...counts });
      for (const tokens of [estimator.inputTokens('m', bytes), estimator.outputTokens('m', bytes)])
        assert.ok(
          Number.isSafeInteger(tokens) && tokens >= Math.floor(bytes / 16) && tokens <= bytes,
        );
    }),
  );
});
