import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../log.ts';
import { failureOf } from './failure-reports.ts';

const REQUEST: LogEntry = {
  level: 'warn',
  type: 'request',
  message: 'text of the provider with canary-prompt',
  requestId: 'req_1',
  metadata: {
    code: 'PROVIDER_UNAVAILABLE',
    provider: 'openai',
    model: 'gpt-5',
    keyId: 'key_1',
    userId: 'canary-user',
    promptPreview: 'canary-prompt',
  },
};

test('a failed request is reported with code, provider and model, without its text', () => {
  const report = failureOf(REQUEST);
  assert.deepEqual(report, {
    message: 'PROVIDER_UNAVAILABLE at openai',
    level: 'warning',
    code: 'PROVIDER_UNAVAILABLE',
    provider: 'openai',
    model: 'gpt-5',
    requestId: 'req_1',
    frames: [],
  });
  assert.doesNotMatch(JSON.stringify(report), /canary/);
});

test('throttles, limits and callers’ mistakes are not reported', () => {
  for (const code of [
    'RATE_LIMITED',
    'AI_LIMIT_REACHED',
    'BUDGET_EXCEEDED',
    'CAPACITY_EXHAUSTED',
    'INVALID_REQUEST',
    'UNAUTHORIZED',
    'CONTENT_POLICY',
    'NOT_FOUND',
    'OK',
    'CLIENT_GONE',
  ])
    assert.equal(failureOf({ ...REQUEST, level: 'error', metadata: { code } }), undefined, code);
});

test('an unexpected exception is reported by its frames, without its message', () => {
  const stack = 'Error: canary-secret\n    at run (file:///src/a.ts:1:2)\n  canary line\n';
  const entry: LogEntry = { level: 'error', type: 'error', message: 'canary', metadata: { stack } };
  const report = failureOf(entry);
  assert.deepEqual(report?.frames, ['at run (file:///src/a.ts:1:2)']);
  assert.equal(report?.code, 'INTERNAL');
  assert.doesNotMatch(JSON.stringify(report), /canary/);
});

test('retries and ordinary entries are not reported', () => {
  assert.equal(failureOf({ ...REQUEST, level: 'info' }), undefined);
  assert.equal(failureOf({ level: 'warn', type: 'error', message: 'retried later' }), undefined);
  assert.equal(failureOf({ level: 'critical', type: 'capacity', message: 'alert' }), undefined);
});
