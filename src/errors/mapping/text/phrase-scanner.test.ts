import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createPhraseScanner } from './phrase-scanner.ts';

function scannerOf(phrases: readonly string[], located: readonly string[] = []) {
  const scanner = createPhraseScanner(
    phrases.map((text) => ({ text, isLocated: located.includes(text) })),
  );
  return (text: string) => {
    const { phrases, ends } = scanner.scan(text);
    return { phrases: phrases.map((phrase) => phrase.text), ends };
  };
}

function phrasesIn(phrases: readonly string[], text: string): readonly string[] {
  return scannerOf(phrases)(text).phrases;
}

test('phrases match whole words, whatever separates them', () => {
  const phrases = ['rate limit', 'auth', 'youve hit', '# hour limit'];
  assert.deepEqual(phrasesIn(phrases, 'RATE-LIMIT_exceeded'), ['rate limit']);
  assert.deepEqual(phrasesIn(phrases, 'the author wrote'), []);
  assert.deepEqual(phrasesIn(phrases, 'You’ve\n  hit it'), ['youve hit']);
  assert.deepEqual(phrasesIn(phrases, '"5-hour limit"'), ['# hour limit']);
  assert.deepEqual(phrasesIn(phrases, ''), []);
});

test('a star extends a word, and phrases may overlap', () => {
  const phrases = ['throttl*', '*余额不足*', 'a b', 'b c', 'a b c'];
  assert.deepEqual(phrasesIn(phrases, 'Throttling'), ['throttl*']);
  assert.deepEqual(phrasesIn(phrases, '您的余额不足，请充值'), ['*余额不足*']);
  assert.deepEqual(phrasesIn(phrases, 'a b c').toSorted(), ['a b', 'a b c', 'b c']);
});

test('each phrase is reported once, located phrases with their ends', () => {
  const scan = scannerOf(['again', 'now'], ['again'])('again, now, again and now again.');
  assert.deepEqual(scan.phrases, ['again', 'now']);
  assert.deepEqual(scan.ends, [5, 17, 31]);
});

test('a scan leaves no state for the next one', () => {
  const scan = scannerOf(['a', 'b']);
  assert.deepEqual(scan('a b').phrases, ['a', 'b']);
  assert.deepEqual(scan('b').phrases, ['b']);
});

test('the automaton finds exactly the phrases that a search per phrase finds', () => {
  const word = fc.constantFrom('a', 'ab', 'b', 'ba', 'aab');
  const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
  fc.assert(
    fc.property(fc.uniqueArray(words, { maxLength: 8 }), words, words, (phrases, left, right) => {
      const text = `${left} ${right}`;
      const expected = phrases.filter((phrase) => ` ${text} `.includes(` ${phrase} `));
      assert.deepEqual(phrasesIn(phrases, text).toSorted(), expected.toSorted());
    }),
  );
});
