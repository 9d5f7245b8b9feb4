// Finds any number of phrases in one pass over a text: an Aho-Corasick automaton flattened into one table,
// so each character costs one lookup whatever the text is. That is what keeps hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

export type PhraseScanner = {
  /** One flag per phrase, in the order they were given. */
  scan(text: string): Uint8Array;
};

export function createPhraseScanner(phrases: readonly string[]): PhraseScanner {
  const patterns = phrases.map(toPattern);
  const classes = characterClasses(patterns);
  const automaton = buildAutomaton(patterns, classes);
  return { scan: (text) => scanWith(automaton, classes, phrases.length, text) };
}

type Automaton = {
  readonly width: number;
  /** state × character class → next state. */
  readonly next: Uint16Array;
  /** The phrases that end in a state. */
  readonly found: readonly (readonly number[] | undefined)[];
};

const SPACE = ' ';

function toPattern(phrase: string): string {
  const start = phrase.startsWith('*') ? '' : SPACE;
  const end = phrase.endsWith('*') ? '' : SPACE;
  return `${start}${phrase.replaceAll('*', '')}${end}`;
}

/** Character code → class. 0 is a separator, 1 is dropped; unused characters separate words. */
function characterClasses(patterns: readonly string[]): { of: Uint8Array; count: number } {
  const of = new Uint8Array(0x1_0000);
  let count = DROPPED + 1;
  const classFor = (code: number) => {
    if (of[code] === 0) {
      of[code] = count;
      count += 1;
    }
    return of[code] ?? 0;
  };
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const known = classFor(letter.charCodeAt(0));
    of[letter.toUpperCase().charCodeAt(0)] = known;
  }
  const digit = classFor('#'.charCodeAt(0));
  for (const numeral of '0123456789') of[numeral.charCodeAt(0)] = digit;
  of['#'.charCodeAt(0)] = 0;
  for (const apostrophe of "'’‘") of[apostrophe.charCodeAt(0)] = DROPPED;
  for (const character of patterns.join('')) {
    if (character !== SPACE && character !== '#') classFor(character.charCodeAt(0));
  }
  return { of, count };
}

const SEPARATOR = 0;
const DROPPED = 1;
const DIGIT = 28;

function buildAutomaton(
  patterns: readonly string[],
  classes: { readonly of: Uint8Array; readonly count: number },
): Automaton {
  const width = classes.count;
  const trie: number[][] = [emptyRow(width)];
  const found: (number[] | undefined)[] = [undefined];
  patterns.forEach((pattern, index) => {
    let state = 0;
    for (const character of pattern) {
      const kind = character === '#' ? DIGIT : (classes.of[character.charCodeAt(0)] ?? SEPARATOR);
      const row = trie[state] ?? [];
      if (row[kind] === 0) {
        row[kind] = trie.length;
        trie.push(emptyRow(width));
        found.push(undefined);
      }
      state = row[kind] ?? 0;
    }
    (found[state] ??= []).push(index);
  });
  return { width, next: flatten(trie, found, width), found };
}

function emptyRow(width: number): number[] {
  return Array.from({ length: width }, () => 0);
}

// Breadth first, so that the state to fall back to is always complete before it is needed.
function flatten(trie: number[][], found: (number[] | undefined)[], width: number): Uint16Array {
  const next = new Uint16Array(trie.length * width);
  const fallback = new Uint16Array(trie.length);
  const queue = [0];
  for (let position = 0; position < queue.length; position += 1) {
    const state = queue[position] ?? 0;
    const behind = fallback[state] ?? 0;
    const inherited = state === 0 ? undefined : found[behind];
    if (inherited !== undefined) found[state] = [...(found[state] ?? []), ...inherited];
    for (let kind = 0; kind < width; kind += 1) {
      const child = trie[state]?.[kind] ?? 0;
      const detour = state === 0 ? 0 : (next[behind * width + kind] ?? 0);
      next[state * width + kind] = child === 0 ? detour : child;
      if (child !== 0) {
        fallback[child] = detour;
        queue.push(child);
      }
    }
  }
  return next;
}

function scanWith(
  { width, next, found }: Automaton,
  classes: { readonly of: Uint8Array },
  phraseCount: number,
  text: string,
): Uint8Array {
  const hits = new Uint8Array(phraseCount);
  let previous = SEPARATOR;
  let state = next[SEPARATOR] ?? 0;
  for (let index = 0; index <= text.length; index += 1) {
    const kind =
      index === text.length ? SEPARATOR : (classes.of[text.charCodeAt(index)] ?? SEPARATOR);
    // Runs of separators and of digits count once; dropped characters not at all.
    if (kind === DROPPED || (kind === previous && (kind === SEPARATOR || kind === DIGIT))) continue;
    previous = kind;
    state = next[state * width + kind] ?? 0;
    for (const phrase of found[state] ?? []) hits[phrase] = 1;
  }
  return hits;
}
