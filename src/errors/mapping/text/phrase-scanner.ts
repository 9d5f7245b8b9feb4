// Finds any number of phrases in one pass over a text. Time depends only on the length of the text, so
// hostile input stays linear.
//
// Phrases match whole words: case, punctuation, underscores and line breaks do not matter, apostrophes are
// dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*` at
// either end of a phrase lets the word continue there; languages without spaces need it at both ends.

import {
  type Automaton,
  buildAutomaton,
  ENDING,
  type Ending,
  type ScannedPhrase,
  SEPARATOR,
  STATE,
} from './phrase-automaton.ts';

export type Scan<Phrase> = {
  /** The phrases found, each once, in order of appearance. */
  readonly phrases: readonly Phrase[];
  /** The positions at which the first few located phrases end. */
  readonly ends: readonly number[];
  /** Whether the text has a character outside the European alphabets. */
  readonly isForeign: boolean;
};

export type PhraseScanner<Phrase> = { scan(text: string): Scan<Phrase> };

export function createPhraseScanner<Phrase extends ScannedPhrase>(
  phrases: readonly Phrase[],
): PhraseScanner<Phrase> {
  const automaton = buildAutomaton(phrases);
  let scanNumber = 0;
  return {
    scan(text) {
      if (scanNumber === MAX_SCAN_NUMBER) clearMarks(automaton);
      scanNumber = scanNumber === MAX_SCAN_NUMBER ? 1 : scanNumber + 1;
      return scanWith(automaton, scanNumber, text);
    },
  };
}

// The largest integer that engines store unboxed.
const MAX_SCAN_NUMBER = 0x3fff_ffff;

function clearMarks({ found }: Automaton<unknown>): void {
  for (const ending of found) {
    if (ending === undefined) continue;
    ending.matchedInScan = 0;
    ending.exhaustedInScan = 0;
  }
}

/** The state of a running scan. */
type ScanState<Phrase> = {
  readonly scanNumber: number;
  phrases: Phrase[] | undefined;
  ends: number[] | undefined;
};

// Most characters end no phrase, so the loop holds little more than the automaton's state: any further
// variable would cost as much per character as the step itself.
function scanWith<Phrase>(
  { classOf, shift, next, found }: Automaton<Phrase>,
  scanNumber: number,
  text: string,
): Scan<Phrase> {
  const scan: ScanState<Phrase> = { scanNumber, phrases: undefined, ends: undefined };
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
    if (ending !== undefined && ending.exhaustedInScan !== scanNumber) note(ending, scan, index);
  }
  // The end of the text separates words too.
  const last = next[(state << shift) + SEPARATOR] ?? 0;
  const ending = last < ENDING ? undefined : found[last & STATE];
  if (ending !== undefined) note(ending, scan, length);
  const { phrases = NONE, ends = NONE } = scan;
  return { phrases, ends, isForeign: highest >= FOREIGN };
}

function note<Phrase>(longest: Ending<Phrase>, scan: ScanState<Phrase>, index: number): void {
  const { scanNumber } = scan;
  let isLocated = false;
  let ending: Ending<Phrase> | undefined = longest;
  for (; ending !== undefined; ending = ending.also) {
    if (ending.isLocated && (scan.ends?.length ?? 0) < MAX_ENDS) {
      (scan.ends ??= []).push(index + ending.offset);
      isLocated = true;
    }
    if (ending.matchedInScan === scanNumber) continue;
    ending.matchedInScan = scanNumber;
    (scan.phrases ??= []).push(ending.phrase);
  }
  if (!isLocated) longest.exhaustedInScan = scanNumber;
}

const MAX_ENDS = 5;
const FOREIGN = 0x2e80;
const NONE: readonly never[] = [];
