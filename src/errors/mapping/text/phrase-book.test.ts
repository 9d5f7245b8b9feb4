import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONG_PHRASES, SHORT_PHRASES } from '../waits/quota-window.ts';
import { WAIT_WORDS } from '../waits/text-wait.ts';
import { byText } from './meaning-by-text.ts';
import { createPhraseBook, type Phrase } from './phrase-book.ts';
import { TEXT_RULES } from './text-rules.ts';

const BOOK: ReadonlyMap<string, Phrase> = new Map(
  createPhraseBook().map((phrase) => [phrase.text, phrase]),
);

function phrase(text: string): Phrase {
  const known = BOOK.get(text);
  assert.ok(known, text);
  return known;
}

test('every phrase that anybody listens for is in the book once', () => {
  const texts = new Set([
    ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
    ...SHORT_PHRASES,
    ...LONG_PHRASES,
    ...WAIT_WORDS,
  ]);
  assert.deepEqual([...BOOK.keys()].toSorted(), [...texts].toSorted());
  assert.equal(createPhraseBook().length, texts.size);
});

test('a phrase knows its rules in the order of the table', () => {
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

test('a rule of two halves is fulfilled by both of its halves and by no other phrase', () => {
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

test('windows and words of waiting are known as what they are', () => {
  assert.equal(phrase('per minute').isShortWindow, true);
  assert.equal(phrase('per day').isLongWindow, true);
  assert.equal(phrase('again').isLocated, true);
  assert.equal(phrase('overloaded').isLocated, false);
});

test('advice to shorten a request gives way to what is said of capacity', () => {
  const said = [phrase('reduce the prompt'), phrase('requests per minute')];
  const isValidation = false;
  assert.equal(byText(said, { status: 429, isValidation })?.meaning, 'throttle');
  assert.equal(byText(said, { status: undefined, isValidation })?.meaning, 'throttle');
  assert.equal(byText(said, { status: 500, isValidation })?.meaning, 'too_long');
  assert.equal(byText([], { status: 429, isValidation }), undefined);
});
