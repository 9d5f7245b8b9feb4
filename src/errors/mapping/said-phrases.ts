// Which phrases of the rules and the windows a text says, and where it speaks of waiting. One pass for all of
// it, over an automaton that is built on first use, because most programs never see an error.

import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import { LONG_PHRASES, SHORT_PHRASES } from './quota-window.ts';
import { splitQuotes } from './quoted-words.ts';
import { TEXT_RULES } from './text-rules.ts';
import { WAIT_WORDS } from './text-wait.ts';

export type Heard = {
  readonly said: SaidPhrases;
  /** The positions behind words after which a wait may be stated. */
  readonly waitEnds: readonly number[];
};

/** The phrases of a text, each once. Mostly few, which are looked through; the many of a hostile text are indexed. */
export class SaidPhrases {
  readonly list: readonly string[];
  #index: ReadonlySet<string> | undefined;

  constructor(list: readonly string[]) {
    this.list = list;
  }

  has(phrase: string): boolean {
    if (this.list.length <= FEW) return this.list.includes(phrase);
    this.#index ??= new Set(this.list);
    return this.#index.has(phrase);
  }
}

const FEW = 12;

export function hear(text: string): Heard {
  latin ??= createListener((phrase) => !CHINESE.test(phrase));
  const scan = latin.scan(text);
  if (scan.said.length === 0 && !scan.isForeign) return SILENCE;
  if (!scan.isForeign) return { said: new SaidPhrases(scan.said), waitEnds: scan.ends };
  chinese ??= createListener((phrase) => CHINESE.test(phrase));
  const more = chinese.scan(text);
  const said = new SaidPhrases([...scan.said, ...more.said]);
  return { said, waitEnds: [...scan.ends, ...more.ends] };
}

/** What a text says itself: a phrase that stands in quotes as a whole is somebody else's. */
export function hearOwnWords(text: string): Heard {
  const heard = hear(text);
  if (heard.said.list.length === 0) return heard;
  const { outside, inside } = splitQuotes(text);
  const quoted = inside === '' ? NOTHING : hear(inside).said;
  if (quoted.list.length === 0) return heard;
  const own = hear(outside).said;
  const said = heard.said.list.filter((phrase) => own.has(phrase) || !quoted.has(phrase));
  return { said: new SaidPhrases(said), waitEnds: heard.waitEnds };
}

const NOTHING = new SaidPhrases([]);
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

// Two automata, because the many characters of Chinese would make every row of the table wide, and wide
// tables miss the cache.
let latin: PhraseScanner | undefined;
let chinese: PhraseScanner | undefined;

function createListener(isHeard: (phrase: string) => boolean): PhraseScanner {
  return createPhraseScanner(PHRASES.filter(isHeard), (phrase) => WAIT_WORDS.includes(phrase));
}
