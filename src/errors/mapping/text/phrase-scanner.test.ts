import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createPhraseScanner } from './phrase-scanner.ts';

function scannerOf(phrases: readonly string[], located: readonly string[] = []) {
  const scanner = createPhraseScanner(
    phrases.map((text) => ({ text, isLocated: located.includes(text) })),
  );
  return (text: string) => {
    const { said, ends } = scanner.scan(text);
    return { said: said.map((phrase) => phrase.text), ends };
  };
}

function said(phrases: readonly string[], text: string): readonly string[] {
  return scannerOf(phrases)(text).said;
}

test('phrases are matched on words, whatever stands between them', () => {
  const phrases = ['rate limit', 'auth', 'youve hit', '# hour limit'];
  assert.deepEqual(said(phrases, 'RATE-LIMIT_exceeded'), ['rate limit']);
  assert.deepEqual(said(phrases, 'the author wrote'), []);
  assert.deepEqual(said(phrases, 'You’ve\n  hit it'), ['youve hit']);
  assert.deepEqual(said(phrases, '"5-hour limit"'), ['# hour limit']);
  assert.deepEqual(said(phrases, ''), []);
});

test('a star lets a word go on, and phrases overlap', () => {
  const phrases = ['throttl*', '*余额不足*', 'a b', 'b c', 'a b c'];
  assert.deepEqual(said(phrases, 'Throttling'), ['throttl*']);
  assert.deepEqual(said(phrases, '您的余额不足，请充值'), ['*余额不足*']);
  assert.deepEqual(said(phrases, 'a b c').toSorted(), ['a b', 'a b c', 'b c']);
});

test('each phrase is told once, and located ones with their ends', () => {
  const scan = scannerOf(['again', 'now'], ['again'])('again, now, again and now again.');
  assert.deepEqual(scan.said, ['again', 'now']);
  assert.deepEqual(scan.ends, [5, 17, 31]);
});

test('one scan leaves nothing behind for the next', () => {
  const scan = scannerOf(['a', 'b']);
  assert.deepEqual(scan('a b').said, ['a', 'b']);
  assert.deepEqual(scan('b').said, ['b']);
});

test('the automaton finds what a search for each phrase finds', () => {
  const word = fc.constantFrom('a', 'ab', 'b', 'ba', 'aab');
  const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
  fc.assert(
    fc.property(fc.uniqueArray(words, { maxLength: 8 }), words, words, (phrases, left, right) => {
      const text = `${left} ${right}`;
      const expected = phrases.filter((phrase) => ` ${text} `.includes(` ${phrase} `));
      assert.deepEqual(said(phrases, text).toSorted(), expected.toSorted());
    }),
  );
});
