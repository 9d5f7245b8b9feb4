import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defectsOf } from './judge.ts';
import type { Cell, Side } from './measure-cell.ts';

const REFUSED: Side = {
  outcome: 'error',
  errorClass: 'RateLimitError 429',
  text: 'Too many requests',
  seconds: 4,
  calls: 3,
};

function cell(direct: Partial<Side>, gateway: Partial<Side>, kind: Cell['kind'] = 'sdk'): Cell {
  const sides = { direct: { ...REFUSED, ...direct }, gateway: { ...REFUSED, ...gateway } };
  return { client: 'openai', kind, failure: 'throttle', ...sides };
}

test('an equal cell and a better cell have no defect', () => {
  assert.deepEqual(defectsOf(cell({}, {})), []);
  assert.deepEqual(defectsOf(cell({}, { outcome: 'answer', calls: 5, seconds: 50 })), []);
  assert.deepEqual(defectsOf(cell({ outcome: 'waiting' }, {})), []);
});

test('a lost answer, an endless wait, another class, more calls and more time are defects', () => {
  assert.deepEqual(defectsOf(cell({ outcome: 'answer' }, {})), ['error instead of answer']);
  assert.deepEqual(defectsOf(cell({}, { outcome: 'waiting' })), ['waiting instead of error']);
  assert.deepEqual(defectsOf(cell({}, { errorClass: 'APIError' })), [
    'class APIError instead of RateLimitError 429',
  ]);
  assert.deepEqual(defectsOf(cell({}, { calls: 4 })), ['4 provider calls instead of 3']);
  assert.deepEqual(defectsOf(cell({}, { seconds: 10 })), ['10 s instead of 4 s']);
});

test('a subclass is no defect, because the same catch receives it', () => {
  const ancestors = ['OverloadedError', 'RateLimitError', 'Error'];
  assert.deepEqual(defectsOf(cell({}, { errorClass: 'OverloadedError 529', ancestors })), []);
});

test('another status of the same class, and the text of an agent, are no defects', () => {
  assert.deepEqual(defectsOf(cell({}, { errorClass: 'RateLimitError 430' })), []);
  assert.deepEqual(defectsOf(cell({}, { errorClass: 'other' }, 'agent')), []);
});

test('the class of a refusal that is Spillway’s own is no defect', () => {
  for (const failure of ['budget', 'refused-key']) {
    const refused = cell({ errorClass: 'AuthenticationError 401' }, { errorClass: 'APIError 502' });
    assert.deepEqual(defectsOf({ ...refused, failure }), []);
  }
});

test('calls of a client without any answer are not compared', () => {
  const hanging = cell({ outcome: 'waiting', calls: 1 }, { calls: 3 });
  assert.deepEqual(defectsOf({ ...hanging, failure: 'hang' }), []);
  assert.deepEqual(defectsOf(hanging), ['3 provider calls instead of 1']);
});

test('a call beyond a fifth more is one too many, also for a single call', () => {
  assert.deepEqual(defectsOf(cell({ calls: 1 }, { calls: 2 })), ['2 provider calls instead of 1']);
  assert.deepEqual(defectsOf(cell({ calls: 10 }, { calls: 12 })), []);
});
