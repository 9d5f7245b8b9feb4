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

test('betas that change what a message shows or how hard a turn thinks pass', () => {
  const value =
    'task-budgets-2026-03-13,mid-conversation-output-config-2026-07-01,thinking-binding-controls-2026-08-01,thinking-display-updates-2026-08-18,mid-conversation-system-clear-at-2026-08-21';
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

test('the betas of agents and SDKs that permit fields without a price of their own pass', () => {
  const claudeCode =
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01,' +
    'mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20,' +
    'effort-2025-11-24,dangerous-tool-use-2026-09-03,afk-mode-2026-01-31';
  assert.equal(allowedBetas(claudeCode, NONE), claudeCode);
  const aiSdk =
    'mid-conversation-system-2026-04-07,mid-conversation-system-clear-at-2026-08-21,mid-conversation-output-config-2026-07-01,' +
    'task-budgets-2026-03-13,thinking-binding-controls-2026-08-01,thinking-display-updates-2026-08-18';
  assert.equal(allowedBetas(aiSdk, NONE), aiSdk);
});

test('betas of tools that the body prices pass; those of other models and of threads are dropped', () => {
  const priced =
    'code-execution-2025-08-25,code-execution-web-tools-2026-02-09,skills-2025-10-02,inline-tools-2026-09-15';
  assert.equal(allowedBetas(priced, NONE), priced);
  const others = 'server-side-fallback-2026-07-01,message-threads-2026-08-12';
  assert.equal(allowedBetas(others, NONE), undefined);
});
