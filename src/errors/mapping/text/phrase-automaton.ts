// The automaton that phrases are found with: Aho and Corasick's, flattened into one table, so that each character
// of a text costs one lookup whatever the text is. How phrases are written and read, phrase-scanner.ts says.

export type Listened = {
  readonly text: string;
  /** Whether a scan says where it ends. */
  readonly isLocated: boolean;
};

export type Automaton<Phrase> = Alphabet & {
  /** state × class → next state, marked with ENDING where a phrase ends. */
  readonly next: Uint16Array;
  /** What ends in a state, the longest phrase first. */
  readonly found: readonly (Ending<Phrase> | undefined)[];
};

type Alphabet = {
  /** Character code → class; what is no Latin letter and in no phrase separates words. */
  readonly classOf: Uint8Array;
  /** Classes, rounded up to a power of two so that a row of the table starts at a shift. */
  readonly shift: number;
};

export type Ending<Phrase> = {
  readonly phrase: Phrase;
  readonly isLocated: boolean;
  /** Phrases end with the separator behind them, or, with a `*`, on their last letter. */
  readonly offset: 0 | 1;
  /** The next shorter phrase that ends with this one. */
  readonly also: Ending<Phrase> | undefined;
  /** The scan that met it last, by its number, so that no scan has to allocate or clear anything. */
  saidIn: number;
  /** Likewise for the scan that has nothing more to learn from here on: a text may say the same over and over. */
  spentIn: number;
};

export const ENDING = 0x8000;
export const STATE = 0x7fff;
export const SEPARATOR = 0;
const DROPPED = 1;
const DIGIT = 2;
const SPACE = ' ';

export function buildAutomaton<Phrase extends Listened>(
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
  /** Of the character that leads here. */
  readonly kind: number | undefined;
  readonly children: Map<number, TrieNode<Phrase>>;
  phrase: Phrase | undefined;
};

function addPhrase<Phrase extends Listened>(
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

// Breadth first, so that the state to fall back to is always complete before it is needed. States are numbered in
// that order too: those that any text passes through are few and stand together, where the cache has them.
function flatten<Phrase extends Listened>(
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
    // Runs of separators and of digits count once, dropped characters not at all: there it stays where it is, and
    // nothing ends a second time.
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

function endingOf<Phrase extends Listened>(
  { phrase, kind }: TrieNode<Phrase>,
  also: Ending<Phrase> | undefined,
): Ending<Phrase> | undefined {
  if (phrase === undefined) return also;
  const offset = kind === SEPARATOR ? 0 : 1;
  return { phrase, isLocated: phrase.isLocated, offset, also, saidIn: 0, spentIn: 0 };
}
