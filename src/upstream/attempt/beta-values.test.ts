import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedBetas } from './beta-values.ts';

const NONE: ReadonlySet<string> = new Set();

test('the betas of clients in use pass in their order', () => {
  const value = 'claude-code-20250219,interleaved-thinking-2025-05-14, context-1m-2025-08-07';
  assert.equal(
    allowedBetas(value, NONE),
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-1m-2025-08-07',
  );
});

test('betas whose cost the usage states pass', () => {
  const value = 'compact-2026-01-12,thinking-token-count-2026-05-13,cache-diagnosis-2026-04-07';
  assert.equal(allowedBetas(value, NONE), value);
});

test('a beta that changes the price, and an unknown one, are dropped', () => {
  assert.equal(allowedBetas('fast-mode-2026-02-01,effort-2025-11-24', NONE), 'effort-2025-11-24');
  assert.equal(allowedBetas('advisor-tool-2026-03-01', NONE), undefined);
  assert.equal(allowedBetas('x,y', NONE), undefined);
});

test('the operator can allow a beta by its whole name or without its date', () => {
  const fast = 'fast-mode-2026-02-01';
  assert.equal(allowedBetas(fast, new Set(['fast-mode'])), fast);
  assert.equal(allowedBetas(fast, new Set([fast])), fast);
});
