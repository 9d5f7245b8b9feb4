// An Aho-Corasick automaton flattened into one table: each character costs one lookup. phrase-scanner.ts
// defines how phrases are written and matched.

export type ScannedPhrase = {
  readonly text: string;
  /** Whether a scan reports the position of its end. */
  readonly isLocated: boolean;
};

export type Automaton<Phrase> = Alphabet & {
  /** state × class → next state, flagged with ENDING where a phrase ends. */
  readonly next: Uint16Array;
  /** The phrases that end in a state, the longest first. */
  readonly found: readonly (Ending<Phrase> | undefined)[];
};

type Alphabet = {
  /** Character code → class. Characters that are neither Latin letters nor in a phrase separate words. */
  readonly classOf: Uint8Array;
  /** log2 of the number of classes, rounded up, so that a table row starts at a shift. */
  readonly shift: number;
};

export type Ending<Phrase> = {
  readonly phrase: Phrase;
  readonly isLocated: boolean;
  /** A phrase ends with the separator after it or, with a `*`, on its last letter. */
  readonly offset: 0 | 1;
  /** The next shorter phrase with the same ending. */
  readonly also: Ending<Phrase> | undefined;
  /**
   * The number of the last scan that matched it; comparing numbers avoids allocating or clearing a set per
   * scan.
   */
  matchedInScan: number;
  /**
   * The number of the last scan for which this ending has nothing new: a text may repeat a phrase many times.
   */
  exhaustedInScan: number;
};

export const ENDING = 0x8000;
export const STATE = 0x7fff;
export const SEPARATOR = 0;
const DROPPED = 1;
const DIGIT = 2;
const SPACE = ' ';

export function buildAutomaton<Phrase extends ScannedPhrase>(
  phrases: readonly Phrase[],
): Automaton<Phrase> {
  const alphabet = alphabetOf(phrases.map(({ text }) => toPattern(text)));
  const root: TrieNode<Phrase> = { kind: undefined, children: new Map(), phrase: undefined };
  for (const phrase of phrases) addPhrase(root, phrase, alphabet.classOf);
  return { ...alphabet, ...flatten(root, alphabet.shift) };
}

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

type TrieNode<Phrase> = {
  /** Class of the character that leads here. */
  readonly kind: number | undefined;
  readonly children: Map<number, TrieNode<Phrase>>;
  phrase: Phrase | undefined;
};

function addPhrase<Phrase extends ScannedPhrase>(
  root: TrieNode<Phrase>,
  phrase: Phrase,
  classOf: Uint8Array,
): void {
  let node = root;
  for (const character of toPattern(phrase.text)) {
    const kind = character === '#' ? DIGIT : (classOf[character.charCodeAt(0)] ?? SEPARATOR);
    let child = node.children.get(kind);
    if (child === undefined) {
      child = { kind, children: new Map(), phrase: undefined };
      node.children.set(kind, child);
    }
    node = child;
  }
  node.phrase = phrase;
}

// Breadth first, so that a fallback state is complete before it is needed. States are numbered in the same
// order: the few states that every text visits lie together in the cache.
function flatten<Phrase extends ScannedPhrase>(
  root: TrieNode<Phrase>,
  shift: number,
): Pick<Automaton<Phrase>, 'next' | 'found'> {
  const nodes = inBreadth(root);
  if (nodes.length > STATE) throw new RangeError('too many phrases for one automaton');
  const stateOf = new Map(nodes.map((node, state) => [node, state]));
  const next = new Uint16Array(nodes.length << shift);
  const fallback = new Uint16Array(nodes.length);
  const found: (Ending<Phrase> | undefined)[] = [];
  nodes.forEach((node, state) => {
    const behind = (fallback[state] ?? 0) << shift;
    if (state !== 0) next.copyWithin(state << shift, behind, behind + (1 << shift));
    found.push(endingOf(node, state === 0 ? undefined : found[fallback[state] ?? 0]));
    for (const [kind, child] of node.children) {
      const reached = stateOf.get(child) ?? 0;
      fallback[reached] = state === 0 ? 0 : (next[(state << shift) + kind] ?? 0);
      next[(state << shift) + kind] = reached;
    }
  });
  const marked = next.map((state) => (found[state] === undefined ? state : state | ENDING));
  nodes.forEach(({ kind }, state) => {
    // A run of separators or digits counts once and dropped characters count as nothing: the state stays the
    // same and no phrase ends twice.
    marked[(state << shift) + DROPPED] = state;
    if (kind === SEPARATOR || kind === DIGIT) marked[(state << shift) + kind] = state;
  });
  return { next: marked, found };
}

function inBreadth<Phrase>(root: TrieNode<Phrase>): readonly TrieNode<Phrase>[] {
  const nodes = [root];
  // The list grows while it is walked.
  for (const node of nodes) nodes.push(...node.children.values());
  return nodes;
}

function endingOf<Phrase extends ScannedPhrase>(
  { phrase, kind }: TrieNode<Phrase>,
  also: Ending<Phrase> | undefined,
): Ending<Phrase> | undefined {
  if (phrase === undefined) return also;
  const offset = kind === SEPARATOR ? 0 : 1;
  return {
    phrase,
    isLocated: phrase.isLocated,
    offset,
    also,
    matchedInScan: 0,
    exhaustedInScan: 0,
  };
}
