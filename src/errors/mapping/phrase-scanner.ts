// Finds any number of phrases in one pass over a text: an Aho-Corasick automaton flattened into one table,
// so each character costs one lookup whatever the text is. That is what keeps hostile input linear.
//
// Phrases are matched on words: case, punctuation, underscores and line breaks do not matter, apostrophes
// are dropped (`you’ve` = `youve`), every run of digits is `#`, and `auth` does not match in `author`. A `*`
// at either end of a phrase lets the word go on there; languages without spaces need it at both.

export type Listened = {
  readonly text: string;
  /** Whether a scan says where it ends. */
  readonly isLocated: boolean;
};

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
  const alphabet = alphabetOf(phrases.map(({ text }) => toPattern(text)));
  const automaton = buildAutomaton(phrases, alphabet);
  return { scan: (text) => scanWith(automaton, alphabet, text) };
}

type Alphabet = {
  /** Character code → class; what is no Latin letter and in no phrase separates words. */
  readonly classOf: Uint8Array;
  /** Classes, rounded up to a power of two so that a row of the table starts at a shift. */
  readonly shift: number;
};

type Automaton<Phrase> = {
  /** state × class → next state, with a mark on states in which a phrase ends. */
  readonly next: Uint16Array;
  readonly found: readonly (readonly Ending<Phrase>[] | undefined)[];
  /** The scan that met a phrase last, by its number, so that no scan has to allocate or clear anything. */
  readonly saidIn: Uint32Array;
  /** Likewise for states from which a scan has nothing more to learn: a text may say the same over and over. */
  readonly spentIn: Uint32Array;
  turn: number;
};

type Ending<Phrase> = {
  readonly phrase: Phrase;
  /** Its position in the list. */
  readonly place: number;
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

function buildAutomaton<Phrase extends Listened>(
  phrases: readonly Phrase[],
  { classOf, shift }: Alphabet,
): Automaton<Phrase> {
  const root: TrieNode<Phrase> = { kind: undefined, children: new Map(), endings: [] };
  phrases.forEach((phrase, place) => {
    let node = root;
    const pattern = toPattern(phrase.text);
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
    node.endings.push({ phrase, place, offset });
  });
  return { ...flatten(root, shift), saidIn: new Uint32Array(phrases.length), turn: 0 };
}

type TrieNode<Phrase> = {
  /** Of the character that leads here. */
  readonly kind: number | undefined;
  readonly children: Map<number, TrieNode<Phrase>>;
  readonly endings: Ending<Phrase>[];
};

// Breadth first, so that the state to fall back to is always complete before it is needed. States are numbered in
// that order too: those that any text passes through are few and stand together, where the cache has them.
function flatten<Phrase>(
  root: TrieNode<Phrase>,
  shift: number,
): Pick<Automaton<Phrase>, 'next' | 'found' | 'spentIn'> {
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
  return { next: marked, found, spentIn: new Uint32Array(nodes.length) };
}

function inBreadth<Phrase>(root: TrieNode<Phrase>): readonly TrieNode<Phrase>[] {
  const nodes = [root];
  // The list grows while it is walked.
  for (const node of nodes) nodes.push(...node.children.values());
  return nodes;
}

/** What a scan has met so far. */
type Hearing<Phrase> = {
  readonly turn: number;
  said: Phrase[] | undefined;
  ends: number[] | undefined;
};

// Most characters end no phrase. They are passed in a loop that holds nothing but the automaton's place, because
// what else is held there costs each of them as much as the step itself.
function scanWith<Phrase extends Listened>(
  automaton: Automaton<Phrase>,
  { classOf, shift }: Alphabet,
  text: string,
): Scan<Phrase> {
  const { next } = automaton;
  const hearing: Hearing<Phrase> = { turn: nextTurn(automaton), said: undefined, ends: undefined };
  const { length } = text;
  let highest = 0;
  let state = (next[SEPARATOR] ?? 0) & STATE;
  for (let index = 0; index < length; ) {
    let reached = state;
    do {
      const code = text.charCodeAt(index);
      highest |= code;
      reached = next[(reached << shift) + (classOf[code] ?? SEPARATOR)] ?? 0;
      index += 1;
    } while (index < length && reached < ENDING);
    state = reached & STATE;
    if (reached !== state) note(automaton, hearing, state, index - 1);
  }
  // The end of a text separates words too.
  const last = next[(state << shift) + SEPARATOR] ?? 0;
  if (last >= ENDING) note(automaton, hearing, last & STATE, length);
  const { said = NONE, ends = NONE } = hearing;
  return { said, ends, isForeign: highest >= FOREIGN };
}

function note<Phrase extends Listened>(
  { found, saidIn, spentIn }: Automaton<Phrase>,
  hearing: Hearing<Phrase>,
  state: number,
  index: number,
): void {
  const { turn } = hearing;
  if (spentIn[state] === turn) return;
  let isLocated = false;
  for (const { phrase, place, offset } of found[state] ?? NONE) {
    if (phrase.isLocated && (hearing.ends?.length ?? 0) < MAX_ENDS) {
      (hearing.ends ??= []).push(index + offset);
      isLocated = true;
    }
    if (saidIn[place] === turn) continue;
    saidIn[place] = turn;
    (hearing.said ??= []).push(phrase);
  }
  if (!isLocated) spentIn[state] = turn;
}

function nextTurn(automaton: Automaton<unknown>): number {
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
