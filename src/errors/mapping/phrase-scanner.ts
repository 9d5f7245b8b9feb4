// Finds any number of phrases in one pass over a text: an Aho-Corasick automaton flattened into one table,
// so each character costs one lookup whatever the text is. That is what keeps hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

export type PhraseScanner = {
  /** The phrases that are said, by their position in the list, each once, in the order they are met. */
  scan(text: string): number[];
};

export function createPhraseScanner(phrases: readonly string[]): PhraseScanner {
  const patterns = phrases.map(toPattern);
  const alphabet = alphabetOf(patterns);
  const automaton = buildAutomaton(patterns, alphabet);
  return { scan: (text) => scanWith(automaton, alphabet, phrases.length, text) };
}

type Alphabet = {
  /** Character code → class; what is in no phrase separates words. */
  readonly classOf: Uint8Array;
  /** Classes, rounded up to a power of two so that a row of the table starts at a shift. */
  readonly shift: number;
};

type Automaton = {
  /** state × class → next state. */
  readonly next: Uint16Array;
  /** The phrases that end in a state. */
  readonly found: readonly (readonly number[] | undefined)[];
};

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
  const letters = new Set(patterns.join('').replaceAll(/[ #]/g, ''));
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

function buildAutomaton(patterns: readonly string[], { classOf, shift }: Alphabet): Automaton {
  const trie: Map<number, number>[] = [new Map()];
  const found: (number[] | undefined)[] = [undefined];
  patterns.forEach((pattern, index) => {
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
    (found[state] ??= []).push(index);
  });
  return { next: flatten(trie, found, shift), found };
}

// Breadth first, so that the state to fall back to is always complete before it is needed.
function flatten(
  trie: readonly ReadonlyMap<number, number>[],
  found: (number[] | undefined)[],
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
  return next;
}

function scanWith(
  { next, found }: Automaton,
  { classOf, shift }: Alphabet,
  phraseCount: number,
  text: string,
): number[] {
  const said: number[] = [];
  let isSaid: Uint8Array | undefined;
  let previous = SEPARATOR;
  let state = next[SEPARATOR] ?? 0;
  for (let index = 0; index <= text.length; index += 1) {
    const kind = index === text.length ? SEPARATOR : (classOf[text.charCodeAt(index)] ?? SEPARATOR);
    // Runs of separators and of digits count once; dropped characters not at all.
    if (kind === DROPPED || (kind <= DIGIT && kind === previous)) continue;
    previous = kind;
    state = next[(state << shift) + kind] ?? 0;
    const ending = found[state];
    if (ending === undefined) continue;
    isSaid ??= new Uint8Array(phraseCount);
    for (const phrase of ending) {
      if (isSaid[phrase] === 0) said.push(phrase);
      isSaid[phrase] = 1;
    }
  }
  return said;
}
