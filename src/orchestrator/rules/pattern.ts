// A keyword of a routing rule, compiled: the sequence of words that it matches.

import { inflectionsOf } from './inflections.ts';
import { fold, type Word } from './words.ts';

export type Pattern = {
  readonly length: number;
  /** Counts more than other keywords. */
  readonly isDecisive: boolean;
  /** The texts of its first word, or their common beginning: an index finds the pattern by it. */
  readonly head: { readonly forms: readonly string[] } | { readonly prefix: string };
  /** Whether the words from this position on match. */
  matchesAt(words: readonly Word[], at: number): boolean;
};

/** `=word`: no inflections. `^word`: the same, with a capital letter. `word*`: any ending. `word!`: decisive. */
export function compilePattern(given: string): Pattern {
  const isDecisive = given.endsWith('!');
  const keyword = isDecisive ? given.slice(0, -1) : given;
  const tests = keyword
    .split(/[\s-]+/)
    .filter(Boolean)
    .map(compileWord);
  return {
    length: tests.length,
    isDecisive,
    head: tests[0]?.head ?? { forms: [] },
    matchesAt: (words, at) =>
      tests.length > 0 &&
      tests.every(({ matches }, index) => {
        const word = words[at + index];
        return word !== undefined && matches(word);
      }),
  };
}

type WordTest = {
  readonly head: Pattern['head'];
  readonly matches: (word: Word) => boolean;
};

function compileWord(given: string): WordTest {
  if (given.startsWith('=') || given.startsWith('^')) {
    const exact = fold(given.slice(1));
    const isName = given.startsWith('^');
    return {
      head: { forms: [exact] },
      matches: ({ text, isCapital }) => text === exact && (isCapital || !isName),
    };
  }
  if (given.endsWith('*')) {
    const prefix = fold(given.slice(0, -1));
    return { head: { prefix }, matches: ({ text }) => text.startsWith(prefix) };
  }
  const forms = new Set(inflectionsOf(fold(given)));
  return { head: { forms: [...forms] }, matches: ({ text }) => forms.has(text) };
}
