// Which phrases of the rules and the windows a text says, and where it speaks of waiting. One pass for all of
// it, over an automaton that is built on first use, because most programs never see an error.

import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import { LONG_PHRASES, SHORT_PHRASES } from './quota-window.ts';
import { splitQuotes } from './quoted-words.ts';
import { TEXT_RULES } from './text-rules.ts';
import { WAIT_WORDS } from './text-wait.ts';

export type Heard = {
  readonly said: ReadonlySet<string>;
  /** The positions behind words after which a wait may be stated. */
  readonly waitEnds: readonly number[];
};

export function hear(text: string): Heard {
  latin ??= createListener((phrase) => !CHINESE.test(phrase));
  const scan = latin.scanner.scan(text);
  if (scan.said.length === 0 && !scan.isForeign) return SILENCE;
  const said = new Set<string>();
  for (const index of scan.said) said.add(latin.phrases[index] ?? '');
  if (!scan.isForeign) return { said, waitEnds: scan.ends };
  chinese ??= createListener((phrase) => CHINESE.test(phrase));
  const more = chinese.scanner.scan(text);
  for (const index of more.said) said.add(chinese.phrases[index] ?? '');
  return { said, waitEnds: [...scan.ends, ...more.ends] };
}

/** What a text says itself: a phrase that stands in quotes as a whole is somebody else's. */
export function hearOwnWords(text: string): Heard {
  const heard = hear(text);
  if (heard.said.size === 0) return heard;
  const { outside, inside } = splitQuotes(text);
  const quoted = inside === '' ? NOTHING : hear(inside).said;
  if (quoted.size === 0) return heard;
  const own = hear(outside).said;
  const said = [...heard.said].filter((phrase) => own.has(phrase) || !quoted.has(phrase));
  return { said: new Set(said), waitEnds: heard.waitEnds };
}

const NOTHING: ReadonlySet<string> = new Set();
export const SILENCE: Heard = { said: NOTHING, waitEnds: [] };
const CHINESE = /[\u4e00-\u9fff]/;

const PHRASES: readonly string[] = [
  ...new Set([
    ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
    ...SHORT_PHRASES,
    ...LONG_PHRASES,
    ...WAIT_WORDS,
  ]),
];

type Listener = { readonly phrases: readonly string[]; readonly scanner: PhraseScanner };

// Two automata, because the many characters of Chinese would make every row of the table wide, and wide
// tables miss the cache.
let latin: Listener | undefined;
let chinese: Listener | undefined;

function createListener(isHeard: (phrase: string) => boolean): Listener {
  const phrases = PHRASES.filter(isHeard);
  const scanner = createPhraseScanner(phrases, (phrase) => WAIT_WORDS.includes(phrase));
  return { phrases, scanner };
}
