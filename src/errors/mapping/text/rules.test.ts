import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WAIT_WORDS } from '../waits/in-text.ts';
import { LONG_WINDOW_PHRASES, SHORT_WINDOW_PHRASES } from '../waits/quota-window.ts';
import { TEXT_RULES } from './rules.ts';

const PHRASES = [
  ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
  ...SHORT_WINDOW_PHRASES,
  ...LONG_WINDOW_PHRASES,
  ...WAIT_WORDS,
];

test("every phrase is written in the scanner's normal form", () => {
  for (const phrase of PHRASES) {
    assert.match(phrase, /^\*?(?:[a-z#]+(?: [a-z#]+)*|[\u4e00-\u9fff]+)\*?$/, phrase);
  }
});

test('no rule lists a phrase twice', () => {
  for (const { phrases, together = [] } of TEXT_RULES) {
    assert.equal(new Set(phrases).size, phrases.length);
    assert.equal(new Set(together).size, together.length);
  }
});
