// Which phrases a text says, and where it speaks of waiting. One pass for all of it, over an automaton that is
// built on first use, because most programs never see an error.

import { createPhraseBook, type Phrase } from './phrase-book.ts';
import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import { splitQuotes } from './quoted-words.ts';

export type Heard = {
  /** Each once, in the order they are met. */
  readonly said: readonly Phrase[];
  /** The positions behind words after which a wait may be stated. */
  readonly waitEnds: readonly number[];
};

export const SILENCE: Heard = { said: [], waitEnds: [] };

export function hear(text: string): Heard {
  latin ??= createListener((phrase) => !CHINESE.test(phrase.text));
  const { said, ends, isForeign } = latin.scan(text);
  if (!isForeign) return { said, waitEnds: ends };
  chinese ??= createListener((phrase) => CHINESE.test(phrase.text));
  const more = chinese.scan(text);
  return { said: [...said, ...more.said], waitEnds: [...ends, ...more.ends] };
}

/** What a text says itself: a phrase that stands in quotes as a whole is somebody else's. */
export function hearOwnWords(text: string): Heard {
  const heard = hear(text);
  if (heard.said.length === 0) return heard;
  const { outside, inside } = splitQuotes(text);
  const quoted = inside === '' ? SILENCE.said : hear(inside).said;
  if (quoted.length === 0) return heard;
  const foreign = new Set(quoted);
  for (const phrase of hear(outside).said) foreign.delete(phrase);
  return {
    said: heard.said.filter((phrase) => !foreign.has(phrase)),
    waitEnds: heard.waitEnds,
  };
}

const CHINESE = /[\u4e00-\u9fff]/;

// Two automata, because the many characters of Chinese would make every row of the table wide, and wide
// tables miss the cache.
let latin: PhraseScanner<Phrase> | undefined;
let chinese: PhraseScanner<Phrase> | undefined;

function createListener(isHeard: (phrase: Phrase) => boolean): PhraseScanner<Phrase> {
  return createPhraseScanner(createPhraseBook().filter(isHeard));
}
