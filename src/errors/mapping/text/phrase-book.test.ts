import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byText } from '../meaning/by-text.ts';
import { WAIT_WORDS } from '../waits/in-text.ts';
import { LONG_WINDOW_PHRASES, SHORT_WINDOW_PHRASES } from '../waits/quota-window.ts';
import { createPhraseBook, type Phrase } from './phrase-book.ts';
import { TEXT_RULES } from './rules.ts';

const BOOK: ReadonlyMap<string, Phrase> = new Map(
  createPhraseBook().map((phrase) => [phrase.text, phrase]),
);

function phrase(text: string): Phrase {
  const known = BOOK.get(text);
  assert.ok(known, text);
  return known;
}

test('every phrase of the rules, windows and wait words is in the book once', () => {
  const texts = new Set([
    ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
    ...SHORT_WINDOW_PHRASES,
    ...LONG_WINDOW_PHRASES,
    ...WAIT_WORDS,
  ]);
  assert.deepEqual([...BOOK.keys()].toSorted(), [...texts].toSorted());
  assert.equal(createPhraseBook().length, texts.size);
});

test('a phrase lists its rules in table order', () => {
  for (const { text, rules } of BOOK.values()) {
    const orders = TEXT_RULES.flatMap((rule, order) =>
      rule.phrases.includes(text) ? [order] : [],
    );
    assert.deepEqual(
      rules.map(({ order }) => order),
      orders,
      text,
    );
  }
});

test('a two-part rule needs one phrase of each part', () => {
  TEXT_RULES.forEach((rule, order) => {
    const halves = [...BOOK.values()].flatMap(({ rules }) =>
      rules.filter((spoken) => spoken.order === order),
    );
    for (const { needs } of halves) {
      const completing = [...BOOK.values()].filter(({ completes }) => (completes & needs) !== 0);
      assert.deepEqual(
        completing.map(({ text }) => text).toSorted(),
        (rule.together ?? []).toSorted(),
      );
    }
  });
});

test('window phrases and wait words are flagged as such', () => {
  assert.equal(phrase('per minute').isShortWindow, true);
  assert.equal(phrase('per day').isLongWindow, true);
  assert.equal(phrase('again').isLocated, true);
  assert.equal(phrase('overloaded').isLocated, false);
});

test('advice to shorten a request gives way to a phrase about capacity', () => {
  const phrases = [phrase('reduce the prompt'), phrase('requests per minute')];
  const isValidation = false;
  assert.equal(byText(phrases, { status: 429, isValidation })?.meaning, 'throttle');
  assert.equal(byText(phrases, { status: undefined, isValidation })?.meaning, 'throttle');
  assert.equal(byText(phrases, { status: 500, isValidation })?.meaning, 'too_long');
  assert.equal(byText([], { status: 429, isValidation }), undefined);
});
