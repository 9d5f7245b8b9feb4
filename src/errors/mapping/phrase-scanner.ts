// Finds any number of phrases in one pass over a text: an Aho-Corasick automaton flattened into one table,
// so each character costs one lookup whatever the text is. That is what keeps hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

export type Scan = {
  /** The phrases that are said, by their position in the list, each once, in the order they are met. */
  readonly said: readonly number[];
  /** Where the first few located phrases end in the text. */
  readonly ends: readonly number[];
  /** Whether a character beyond the alphabets of Europe was met. */
  readonly isForeign: boolean;
};

export type PhraseScanner = { scan(text: string): Scan };

export function createPhraseScanner(
  phrases: readonly string[],
  isLocated: (phrase: string) => boolean = () => false,
): PhraseScanner {
  const patterns = phrases.map(toPattern);
  const alphabet = alphabetOf(patterns);
  const automaton = buildAutomaton(patterns, alphabet, phrases.map(isLocated));
  return { scan: (text) => scanWith(automaton, alphabet, text) };
}

type Alphabet = {
  /** Character code → class; what is no Latin letter and in no phrase separates words. */
  readonly classOf: Uint8Array;
  /** Classes, rounded up to a power of two so that a row of the table starts at a shift. */
  readonly shift: number;
};

type Automaton = {
  /** state × class → next state, with a mark on states in which a phrase ends. */
  readonly next: Uint16Array;
  readonly found: readonly (readonly Ending[] | undefined)[];
  /** Which phrases the scan under way has met; cleared behind it, so that no scan has to allocate it. */
  readonly isSaid: Uint8Array;
};

type Ending = {
  readonly phrase: number;
  readonly isLocated: boolean;
  /** Phrases end with the separator behind them, or, with a `*`, on their last letter. */
  readonly offset: 0 | 1;
};

const ENDING = 0x8000;
const STATE = 0x7fff;
const MAX_ENDS = 5;
const FOREIGN = 0x2e80;
const SPACE = ' ';
const SEPARATOR = 0;
const DROPPED = 1;
const DIGIT = 2;

function toPattern(phrase: string): string {
  const start = phrase.startsWith('*') ? '' : SPACE;
  const end = phrase.endsWith('*') ? '' : SPACE;
  return `${start}${phrase.replaceAll('*', '')}${end}`;
}

function alphabetOf(patterns: readonly string[]): Alphabet {
  const classOf = new Uint8Array(0x1_0000);
  const letters = new Set(`abcdefghijklmnopqrstuvwxyz${patterns.join('').replaceAll(/[ #]/g, '')}`);
  let classes = DIGIT + 1;
  for (const letter of letters) {
    classOf[letter.charCodeAt(0)] = classes;
    classOf[letter.toUpperCase().charCodeAt(0)] = classes;
    classes += 1;
  }
  for (const digit of '0123456789') classOf[digit.charCodeAt(0)] = DIGIT;
  for (const apostrophe of "'’‘") classOf[apostrophe.charCodeAt(0)] = DROPPED;
  return { classOf, shift: Math.ceil(Math.log2(classes)) };
}

function buildAutomaton(
  patterns: readonly string[],
  { classOf, shift }: Alphabet,
  located: readonly boolean[],
): Automaton {
  const trie: Map<number, number>[] = [new Map()];
  const found: (Ending[] | undefined)[] = [undefined];
  patterns.forEach((pattern, phrase) => {
    let state = 0;
    for (const character of pattern) {
      const kind = character === '#' ? DIGIT : (classOf[character.charCodeAt(0)] ?? SEPARATOR);
      const known = trie[state]?.get(kind);
      if (known === undefined) {
        trie[state]?.set(kind, trie.length);
        state = trie.length;
        trie.push(new Map());
        found.push(undefined);
      } else state = known;
    }
    const offset = pattern.endsWith(SPACE) ? 0 : 1;
    (found[state] ??= []).push({ phrase, isLocated: located[phrase] === true, offset });
  });
  if (trie.length > STATE) throw new RangeError('too many phrases for one automaton');
  return { next: flatten(trie, found, shift), found, isSaid: new Uint8Array(patterns.length) };
}

// Breadth first, so that the state to fall back to is always complete before it is needed.
function flatten(
  trie: readonly ReadonlyMap<number, number>[],
  found: (Ending[] | undefined)[],
  shift: number,
): Uint16Array {
  const width = 1 << shift;
  const next = new Uint16Array(trie.length << shift);
  const fallback = new Uint16Array(trie.length);
  const queue = [0];
  for (let position = 0; position < queue.length; position += 1) {
    const state = queue[position] ?? 0;
    const behind = fallback[state] ?? 0;
    if (state !== 0) {
      next.copyWithin(state << shift, behind << shift, (behind << shift) + width);
      const inherited = found[behind];
      if (inherited !== undefined) found[state] = [...(found[state] ?? []), ...inherited];
    }
    for (const [kind, child] of trie[state] ?? []) {
      fallback[child] = state === 0 ? 0 : (next[(state << shift) + kind] ?? 0);
      next[(state << shift) + kind] = child;
      queue.push(child);
    }
  }
  return next.map((state) => (found[state] === undefined ? state : state | ENDING));
}

function scanWith(
  { next, found, isSaid }: Automaton,
  { classOf, shift }: Alphabet,
  text: string,
): Scan {
  const said: number[] = [];
  const ends: number[] = [];
  let highest = 0;
  let previous = SEPARATOR;
  let state = (next[SEPARATOR] ?? 0) & STATE;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index === text.length ? 0 : text.charCodeAt(index);
    const kind = classOf[code] ?? SEPARATOR;
    highest |= code;
    // Runs of separators and of digits count once; dropped characters not at all.
    if (kind <= DIGIT && (kind === DROPPED || kind === previous)) continue;
    previous = kind;
    const reached = next[(state << shift) + kind] ?? 0;
    state = reached & STATE;
    if (reached === state) continue;
    for (const ending of found[state] ?? []) {
      if (ending.isLocated && ends.length < MAX_ENDS) ends.push(index + ending.offset);
      if (isSaid[ending.phrase] === 1) continue;
      isSaid[ending.phrase] = 1;
      said.push(ending.phrase);
    }
  }
  for (const phrase of said) isSaid[phrase] = 0;
  return { said, ends, isForeign: highest >= FOREIGN };
}
