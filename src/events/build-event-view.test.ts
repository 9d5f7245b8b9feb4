import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../errors/redact.ts';
import type { BuildEvent } from './build-event.ts';
import { toBuildEventView, toOperatorView } from './build-event-view.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const READER = { locale: 'en', timeZone: 'UTC', now: AT };
const EVENT: BuildEvent = {
  id: 7,
  organizationId: 'acme',
  buildId: 'b1',
  type: 'failed',
  data: { step: 1 },
  userVisible: true,
  finished: true,
  createdAt: AT,
};
const LIMITED: BuildEvent = {
  ...EVENT,
  error: {
    code: 'AI_LIMIT_REACHED',
    params: { resetTime: AT + 720_000, secret: 'x' },
    message: 'Stored then.',
    internalMessage: `Claude AI usage limit reached|${AT / 1000 + 720}`,
  },
};

test('a reader gets code, parameters and a rendered sentence, and no raw text', () => {
  const view = toBuildEventView(LIMITED, READER);
  assert.equal(view.error?.code, 'AI_LIMIT_REACHED');
  assert.deepEqual(view.error?.params, { resetTime: AT + 720_000 });
  assert.match(view.error?.message ?? '', /12 minutes/);
  assert.equal(view.error_message, view.error?.message);
  assert.doesNotMatch(JSON.stringify(view), /claude|Stored|secret|acme/i);
});

test('the sentence is rendered at the time of reading, in the reader’s language', () => {
  const later = toBuildEventView(LIMITED, { ...READER, now: AT + 800_000 });
  assert.doesNotMatch(later.error?.message ?? '', /minutes/);
  const turkish = toBuildEventView(LIMITED, { ...READER, locale: 'tr' });
  assert.match(turkish.error?.message ?? '', /dakika/);
});

test('a product’s own row with a raw text is mapped, and errors are removed from its data', () => {
  const row: BuildEvent = {
    ...EVENT,
    data: { step: 1, error: 'Claude AI usage limit reached|1900000000' },
    error: { internalMessage: 'Claude AI usage limit reached|1900000000' },
  };
  const view = toBuildEventView(row, READER);
  assert.equal(view.error?.code, 'AI_LIMIT_REACHED');
  assert.deepEqual(view.data, { step: 1 });
  assert.doesNotMatch(JSON.stringify(view), /claude/i);
});

test('an event without an error has error null', () => {
  const view = toBuildEventView(EVENT, READER);
  assert.equal(view.error, null);
  assert.equal(view.error_message, null);
});

test('operators read the raw text, redacted', () => {
  const row = {
    ...LIMITED,
    error: { ...LIMITED.error, internalMessage: 'with my-secret-key in it' },
  };
  const view = toOperatorView(row, READER, createRedactor(['my-secret-key']));
  assert.equal(view.internalMessage, 'with [redacted] in it');
  assert.equal(view.userErrorMessage, 'Stored then.');
  assert.equal(view.organizationId, 'acme');
});
