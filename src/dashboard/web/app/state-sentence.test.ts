import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OverallState } from '../../api/findings.ts';
import { fitSentence } from './state-sentence.ts';

function state(...texts: readonly string[]): OverallState {
  const pages = {} as OverallState['pages'];
  const parts = texts.map((text) => ({ text, until: null }));
  return { status: 'bad', sentence: '', parts, pages };
}

test('a sentence that fits is shown whole', () => {
  const whole = state('Redis does not answer', '3 jobs wait', 'everything else is fine');
  assert.deepEqual(fitSentence(whole, 1, 200, 0), {
    text: 'Redis does not answer; 3 jobs wait; everything else is fine.',
    more: 0,
  });
});

test('findings without room are counted, and the first is always named', () => {
  const many = state('one is limited', 'two is limited', 'three is limited', '9 more findings');
  assert.deepEqual(fitSentence(many, 12, 200, 0), {
    text: 'one is limited; two is limited; three is limited',
    more: 9,
  });
  assert.deepEqual(fitSentence(many, 12, 45, 0), {
    text: 'one is limited; two is limited',
    more: 10,
  });
  assert.deepEqual(fitSentence(many, 12, 3, 0), { text: 'one is limited', more: 11 });
});

test('without a finding the sentence of the server is shown', () => {
  const fine = fitSentence(state('Everything is fine'), 0, 3, 0);
  assert.deepEqual(fine, { text: 'Everything is fine.', more: 0 });
});

test('a finding with a very long name is cut', () => {
  const { text, more } = fitSentence(state('x'.repeat(5000)), 1, 10, 0);
  assert.ok(text.length < 200 && /…\.?$/.test(text));
  assert.equal(more, 0);
});
