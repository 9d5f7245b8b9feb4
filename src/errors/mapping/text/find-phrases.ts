// Finds the known phrases of a text and the positions at which a wait can follow, in one pass. The automaton
// is built on first use, because most processes never map an error.

import { createPhraseBook, type Phrase } from './phrase-book.ts';
import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import { splitQuotes } from './quotes.ts';

export type PhraseMatches = {
  /** Each once, in order of appearance. */
  readonly phrases: readonly Phrase[];
  /** The positions after words that a wait can follow. */
  readonly waitEnds: readonly number[];
};

export const NO_MATCHES: PhraseMatches = { phrases: [], waitEnds: [] };

export function findPhrases(text: string): PhraseMatches {
  latin ??= createScanner((phrase) => !CHINESE.test(phrase.text));
  const { phrases, ends, isForeign } = latin.scan(text);
  if (!isForeign) return { phrases, waitEnds: ends };
  chinese ??= createScanner((phrase) => CHINESE.test(phrase.text));
  const more = chinese.scan(text);
  return { phrases: [...phrases, ...more.phrases], waitEnds: [...ends, ...more.ends] };
}

/** As `findPhrases`, without phrases that appear only inside quotes: those come from the request. */
export function findUnquotedPhrases(text: string): PhraseMatches {
  const found = findPhrases(text);
  if (found.phrases.length === 0) return found;
  const { outside, inside } = splitQuotes(text);
  const quoted = inside === '' ? NO_MATCHES.phrases : findPhrases(inside).phrases;
  if (quoted.length === 0) return found;
  const foreign = new Set(quoted);
  for (const phrase of findPhrases(outside).phrases) foreign.delete(phrase);
  return {
    phrases: found.phrases.filter((phrase) => !foreign.has(phrase)),
    waitEnds: found.waitEnds,
  };
}

const CHINESE = /[\u4e00-\u9fff]/;

// Two automata: the many Chinese characters would widen every row of the table, and a wide table misses the
// cache.
let latin: PhraseScanner<Phrase> | undefined;
let chinese: PhraseScanner<Phrase> | undefined;

function createScanner(isIncluded: (phrase: Phrase) => boolean): PhraseScanner<Phrase> {
  return createPhraseScanner(createPhraseBook().filter(isIncluded));
}
