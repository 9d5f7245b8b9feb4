import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanTexts } from './clean-texts.ts';

const READER = { locale: 'en', timeZone: 'UTC', now: 1_754_632_800_000 };
const RAW = 'Claude AI usage limit reached|1754636400';

type Given = Partial<Parameters<typeof cleanTexts>[0]>;

function clean(given: Given, sentence?: string) {
  const event = { type: 'step', data: {}, createdAt: READER.now, ...given };
  return cleanTexts(event, sentence, READER);
}

test('a raw failure in title, description and data becomes the sentence of its code', () => {
  const { title, description, data } = clean({
    title: RAW,
    description: `The build stopped: ${RAW}`,
    data: { step: 3, log: ['npm install', { line: RAW }] },
  });
  assert.match(title ?? '', /limit/i);
  for (const text of [title, description, JSON.stringify(data)])
    assert.doesNotMatch(text ?? '', /claude|1754636400/i);
  assert.deepEqual(data, { step: 3, log: ['npm install', { line: title }] });
});

test('the sentence is in the language of the reader', () => {
  const event = { type: 'step', title: RAW, data: {}, createdAt: READER.now };
  const german = cleanTexts(event, undefined, { ...READER, locale: 'de' });
  assert.notEqual(german.title, clean({ title: RAW }).title);
});

test('an event about a failure is cleaned of phrases that other events may use', () => {
  const title = 'Request timed out';
  assert.equal(clean({ title }).title, title);
  assert.notEqual(clean({ title, type: 'build_failed' }).title, title);
  assert.notEqual(clean({ title, phase: 'error' }).title, title);
  assert.notEqual(clean({ title, error: { code: 'INTERNAL' } }).title, title);
  assert.notEqual(clean({ title, data: { error: 'x' } }).title, title);
});

test("a raw text without a code becomes the sentence of the event's error", () => {
  const { title } = clean({ title: 'Claude stopped', error: { code: 'AUTH_FAILED' } }, 'Ours.');
  assert.equal(title, 'Ours.');
});

test('errors are removed from the data, and other data stays as it is', () => {
  const data = { ok: true, count: 2, none: null, list: [1, 'two'], error: { message: RAW } };
  assert.deepEqual(clean({ data }).data, { ok: true, count: 2, none: null, list: [1, 'two'] });
});

test("the output of a job's model is not changed", () => {
  const data = { output: 'Claude answers 429 rate_limit_error: {"error":{"type":"x"}}' };
  assert.deepEqual(clean({ type: 'job.output', data }).data, data);
});
