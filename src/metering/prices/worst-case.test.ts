import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createWorstCase } from './worst-case.ts';

const worstCase = createWorstCase();

test('input is bounded by bytes, output by the stated maximum times the number of answers', () => {
  const most = worstCase({ model: 'gpt-4o', inputBytes: 500, maxOutputTokens: 100, answers: 3 });
  assert.deepEqual([most.inputTokens, most.outputTokens], [500, 300]);
  const request = { model: 'gpt-4o', inputBytes: 500, maxOutputTokens: 100, predictedTokens: 50 };
  assert.equal(worstCase(request).outputTokens, 150);
});

test('without a stated maximum the limit of the longest matching name applies', () => {
  const output = (model: string): number => worstCase({ model, inputBytes: 1 }).outputTokens;
  assert.equal(output('gpt-4'), 8192);
  assert.equal(output('gpt-4o-mini'), 16_384);
  assert.equal(output('gpt-4.1-nano'), 32_768);
  assert.equal(output('claude-opus-4-20250514'), 32_000);
  assert.equal(output('claude-opus-4-6'), 128_000);
  assert.equal(output('anthropic/claude-sonnet-4'), 64_000);
  assert.equal(output('gemini-2.5-flash'), 65_536);
  assert.equal(output('text-embedding-3-small'), 0);
  assert.equal(output('nobody-knows'), 128_000);
});

test('a model with a larger output than its family reserves its own limit', () => {
  const output = (model: string): number => worstCase({ model, inputBytes: 1 }).outputTokens;
  assert.equal(output('gpt-5-pro-2025-10-06'), 272_000);
  assert.equal(output('gpt-5'), 128_000);
  assert.equal(output('gpt-4.5-preview'), 16_384);
  assert.equal(output('gpt-4-32k-0613'), 32_768);
  assert.equal(output('gpt-3.5-turbo-16k'), 16_384);
  assert.equal(output('gpt-oss-120b'), 131_072);
});

test('the configuration overrides the table', () => {
  const own = createWorstCase({
    defaultMaxOutputTokens: 1000,
    maxOutputTokens: { 'gpt-4o': 20_000, 'our-': 50, 'our-big': 70 },
  });
  const output = (model: string): number => own({ model, inputBytes: 1 }).outputTokens;
  assert.equal(output('gpt-4o-mini'), 20_000);
  assert.equal(output('our-big-7b'), 70);
  assert.equal(output('our-7b'), 50);
  assert.equal(output('other'), 1000);
});

test('tools add the instructions of the provider', () => {
  const plain = worstCase({ model: 'm', inputBytes: 250, maxOutputTokens: 1 });
  const tooled = worstCase({ model: 'm', inputBytes: 250, maxOutputTokens: 1, hasTools: true });
  assert.ok(tooled.inputTokens >= plain.inputTokens + 2525);
});

test('the bound is a safe integer for any request', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.maxSafeNat(),
      fc.maxSafeNat(),
      fc.maxSafeNat(),
      (model, a, b, c) => {
        const most = worstCase({ model, inputBytes: a, maxOutputTokens: b, answers: c });
        assert.ok(Number.isSafeInteger(most.inputTokens) && most.inputTokens >= 0);
        assert.ok(Number.isSafeInteger(most.outputTokens) && most.outputTokens >= 0);
      },
    ),
  );
});
