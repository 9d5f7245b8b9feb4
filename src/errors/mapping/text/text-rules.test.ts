import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONG_PHRASES, SHORT_PHRASES } from '../waits/quota-window.ts';
import { WAIT_WORDS } from '../waits/text-wait.ts';
import { TEXT_RULES } from './text-rules.ts';

const PHRASES = [
  ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
  ...SHORT_PHRASES,
  ...LONG_PHRASES,
  ...WAIT_WORDS,
];

test('every phrase is written as the scanner reads texts', () => {
  for (const phrase of PHRASES) {
    assert.match(phrase, /^\*?(?:[a-z#]+(?: [a-z#]+)*|[\u4e00-\u9fff]+)\*?$/, phrase);
  }
});

test('no rule says a phrase twice', () => {
  for (const { phrases, together = [] } of TEXT_RULES) {
    assert.equal(new Set(phrases).size, phrases.length);
    assert.equal(new Set(together).size, together.length);
  }
});
