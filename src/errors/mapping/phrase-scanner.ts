// Finds any number of phrases in one pass over a text: an Aho-Corasick automaton flattened into one table,
// so each character costs one lookup whatever the text is. That is what keeps hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

export type Scan = {
  /** The phrases that are said, each once, in the order they are met. */
  readonly said: readonly string[];
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
  const alphabet = alphabetOf(phrases.map(toPattern));
  const automaton = buildAutomaton(phrases, alphabet, isLocated);
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
  /** The scan that met a phrase last, by its number, so that no scan has to allocate or clear anything. */
  readonly saidIn: Uint32Array;
  /** Likewise for states from which a scan has nothing more to learn: a text may say the same over and over. */
  readonly spentIn: Uint32Array;
  turn: number;
};

type Ending = {
  readonly phrase: string;
  /** Its position in the list. */
  readonly place: number;
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
  phrases: readonly string[],
  { classOf, shift }: Alphabet,
  isLocated: (phrase: string) => boolean,
): Automaton {
  const root: TrieNode = { kind: undefined, children: new Map(), endings: [] };
  phrases.forEach((phrase, place) => {
    let node = root;
    const pattern = toPattern(phrase);
    for (const character of pattern) {
      const kind = character === '#' ? DIGIT : (classOf[character.charCodeAt(0)] ?? SEPARATOR);
      let child = node.children.get(kind);
      if (child === undefined) {
        child = { kind, children: new Map(), endings: [] };
        node.children.set(kind, child);
      }
      node = child;
    }
    const offset = pattern.endsWith(SPACE) ? 0 : 1;
    node.endings.push({ phrase, place, isLocated: isLocated(phrase), offset });
  });
  return { ...flatten(root, shift), saidIn: new Uint32Array(phrases.length), turn: 0 };
}

type TrieNode = {
  /** Of the character that leads here. */
  readonly kind: number | undefined;
  readonly children: Map<number, TrieNode>;
  readonly endings: Ending[];
};

// Breadth first, so that the state to fall back to is always complete before it is needed. States are numbered in
// that order too: those that any text passes through are few and stand together, where the cache has them.
function flatten(root: TrieNode, shift: number): Pick<Automaton, 'next' | 'found' | 'spentIn'> {
  const nodes = inBreadth(root);
  if (nodes.length > STATE) throw new RangeError('too many phrases for one automaton');
  const stateOf = new Map(nodes.map((node, state) => [node, state]));
  const next = new Uint16Array(nodes.length << shift);
  const fallback = new Uint16Array(nodes.length);
  nodes.forEach((node, state) => {
    const behind = (fallback[state] ?? 0) << shift;
    if (state !== 0) next.copyWithin(state << shift, behind, behind + (1 << shift));
    node.endings.push(...(state === 0 ? [] : (nodes[fallback[state] ?? 0]?.endings ?? [])));
    for (const [kind, child] of node.children) {
      const reached = stateOf.get(child) ?? 0;
      fallback[reached] = state === 0 ? 0 : (next[(state << shift) + kind] ?? 0);
      next[(state << shift) + kind] = reached;
    }
  });
  const found = nodes.map(({ endings }) => (endings.length === 0 ? undefined : endings));
  const marked = next.map((state) => (found[state] === undefined ? state : state | ENDING));
  nodes.forEach(({ kind }, state) => {
    // Runs of separators and of digits count once, dropped characters not at all: there it stays where it is, and
    // nothing ends a second time.
    marked[(state << shift) + DROPPED] = state;
    if (kind === SEPARATOR || kind === DIGIT) marked[(state << shift) + kind] = state;
  });
  return {
    next: marked,
    found,
    spentIn: new Uint32Array(nodes.length),
  };
}

function inBreadth(root: TrieNode): readonly TrieNode[] {
  const nodes = [root];
  // The list grows while it is walked.
  for (const node of nodes) nodes.push(...node.children.values());
  return nodes;
}

function scanWith(automaton: Automaton, { classOf, shift }: Alphabet, text: string): Scan {
  const { next, found, saidIn, spentIn } = automaton;
  const turn = nextTurn(automaton);
  let said: string[] | undefined;
  let ends: number[] | undefined;
  let highest = 0;
  let state = (next[SEPARATOR] ?? 0) & STATE;
  const { length } = text;
  for (let index = 0; index <= length; index += 1) {
    const code = index < length ? text.charCodeAt(index) : 0;
    highest |= code;
    const reached = next[(state << shift) + (classOf[code] ?? SEPARATOR)] ?? 0;
    state = reached & STATE;
    if (reached === state || spentIn[state] === turn) continue;
    let isLocated = false;
    for (const ending of found[state] ?? []) {
      if (ending.isLocated && (ends?.length ?? 0) < MAX_ENDS) {
        (ends ??= []).push(index + ending.offset);
        isLocated = true;
      }
      if (saidIn[ending.place] === turn) continue;
      saidIn[ending.place] = turn;
      (said ??= []).push(ending.phrase);
    }
    if (!isLocated) spentIn[state] = turn;
  }
  return { said: said ?? NONE, ends: ends ?? NONE, isForeign: highest >= FOREIGN };
}

function nextTurn(automaton: Automaton): number {
  if (automaton.turn === LAST_TURN) {
    automaton.saidIn.fill(0);
    automaton.spentIn.fill(0);
    automaton.turn = 0;
  }
  automaton.turn += 1;
  return automaton.turn;
}

const LAST_TURN = 0xffff_ffff;
const NONE: readonly never[] = [];
