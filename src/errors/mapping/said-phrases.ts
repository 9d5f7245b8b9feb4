// Which phrases of the rules and the windows a text says. One automaton for all of them, built on first use,
// because most programs never see an error.

import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import { LONG_PHRASES, SHORT_PHRASES } from './quota-window.ts';
import { splitQuotes } from './quoted-words.ts';
import { TEXT_RULES } from './text-rules.ts';

export type SaidPhrases = ReadonlySet<string>;

export function phrasesSaidIn(text: string): SaidPhrases {
  return new Set(scan(text));
}

/** What a text says itself: a phrase that stands in quotes as a whole is somebody else's. */
export function phrasesOfItsOwn(text: string): SaidPhrases {
  const { outside, inside } = splitQuotes(text);
  if (inside === '') return phrasesSaidIn(text);
  const quoted = phrasesSaidIn(inside);
  if (quoted.size === 0) return phrasesSaidIn(text);
  const own = phrasesSaidIn(outside);
  return new Set(scan(text).filter((phrase) => own.has(phrase) || !quoted.has(phrase)));
}

const PHRASES: readonly string[] = [
  ...new Set([
    ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
    ...SHORT_PHRASES,
    ...LONG_PHRASES,
  ]),
];

// Two automata, because the many characters of Chinese would make every row of the table wide, and wide
// tables miss the cache.
let latin: Listener | undefined;
let chinese: Listener | undefined;

type Listener = { readonly phrases: readonly string[]; readonly scanner: PhraseScanner };

function scan(text: string): string[] {
  latin ??= createListener((phrase) => !CHINESE.test(phrase));
  const said = hear(latin, text);
  if (!CHINESE.test(text)) return said;
  chinese ??= createListener((phrase) => CHINESE.test(phrase));
  return [...said, ...hear(chinese, text)];
}

const CHINESE = /[\u4e00-\u9fff]/;

function createListener(isHeard: (phrase: string) => boolean): Listener {
  const phrases = PHRASES.filter(isHeard);
  return { phrases, scanner: createPhraseScanner(phrases) };
}

function hear({ phrases, scanner }: Listener, text: string): string[] {
  return scanner.scan(text).map((index) => phrases[index] ?? '');
}
