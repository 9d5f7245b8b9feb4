// Finds any number of phrases in one pass over a text, in a time that its length alone decides. That is what keeps
// hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

import {
  type Automaton,
  buildAutomaton,
  ENDING,
  type Ending,
  type Listened,
  SEPARATOR,
  STATE,
} from './phrase-automaton.ts';

export type Scan<Phrase> = {
  /** The phrases that are said, each once, in the order they are met. */
  readonly said: readonly Phrase[];
  /** Where the first few located phrases end in the text. */
  readonly ends: readonly number[];
  /** Whether a character beyond the alphabets of Europe was met. */
  readonly isForeign: boolean;
};

export type PhraseScanner<Phrase> = { scan(text: string): Scan<Phrase> };

export function createPhraseScanner<Phrase extends Listened>(
  phrases: readonly Phrase[],
): PhraseScanner<Phrase> {
  const automaton = buildAutomaton(phrases);
  let turn = 0;
  return {
    scan(text) {
      if (turn === LAST_TURN) forget(automaton);
      turn = turn === LAST_TURN ? 1 : turn + 1;
      return scanWith(automaton, turn, text);
    },
  };
}

// The largest number that engines keep without a box.
const LAST_TURN = 0x3fff_ffff;

function forget({ found }: Automaton<unknown>): void {
  for (const ending of found) {
    if (ending === undefined) continue;
    ending.saidIn = 0;
    ending.spentIn = 0;
  }
}

/** What a scan has met so far. */
type Hearing<Phrase> = {
  readonly turn: number;
  said: Phrase[] | undefined;
  ends: number[] | undefined;
};

// Most characters end no phrase, so the loop holds little more than the place in the automaton: what else it held
// would cost each of them as much as the step itself.
function scanWith<Phrase>(
  { classOf, shift, next, found }: Automaton<Phrase>,
  turn: number,
  text: string,
): Scan<Phrase> {
  const hearing: Hearing<Phrase> = { turn, said: undefined, ends: undefined };
  const { length } = text;
  let highest = 0;
  let state = (next[SEPARATOR] ?? 0) & STATE;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    highest |= code;
    const reached = next[(state << shift) + (classOf[code] ?? SEPARATOR)] ?? 0;
    state = reached & STATE;
    if (reached === state) continue;
    const ending = found[state];
    if (ending !== undefined && ending.spentIn !== turn) note(ending, hearing, index);
  }
  // The end of a text separates words too.
  const last = next[(state << shift) + SEPARATOR] ?? 0;
  const ending = last < ENDING ? undefined : found[last & STATE];
  if (ending !== undefined) note(ending, hearing, length);
  const { said = NONE, ends = NONE } = hearing;
  return { said, ends, isForeign: highest >= FOREIGN };
}

function note<Phrase>(longest: Ending<Phrase>, hearing: Hearing<Phrase>, index: number): void {
  const { turn } = hearing;
  let isLocated = false;
  let ending: Ending<Phrase> | undefined = longest;
  for (; ending !== undefined; ending = ending.also) {
    if (ending.isLocated && (hearing.ends?.length ?? 0) < MAX_ENDS) {
      (hearing.ends ??= []).push(index + ending.offset);
      isLocated = true;
    }
    if (ending.saidIn === turn) continue;
    ending.saidIn = turn;
    (hearing.said ??= []).push(ending.phrase);
  }
  if (!isLocated) longest.spentIn = turn;
}

const MAX_ENDS = 5;
const FOREIGN = 0x2e80;
const NONE: readonly never[] = [];
