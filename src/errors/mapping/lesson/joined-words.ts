// Finds statements that a provider's sentence may owe to a value of the request. `Limit exceeded for {user}` and a user named
// `your current quota` make a phrase that neither of them contains. A value that stands in a sentence ends or begins inside
// such a phrase, or is a part of it, so a statement is doubtful if the request has a value that begins with its end, ends
// with its beginning, or equals a part of it. Words inside a longer value, such as a prompt, are no doubt: a provider that
// quotes the prompt starts at its beginning.

/** The statements of which a value of the request may be a part, among statements in the spelling of `wordsOf`. */
export function joinedStatements(
  statements: readonly string[],
  values: Iterable<string>,
): ReadonlySet<string> {
  const parts = indexParts(statements);
  const found = new Set<string>();
  if (parts.whole.size === 0) return found;
  let valuesLeft = MAX_VALUES;
  for (const value of values) {
    valuesLeft -= 1;
    if (valuesLeft < 0) return new Set(statements);
    for (const words of spellingsOf(value))
      for (const each of partsIn(words, parts)) found.add(each);
  }
  return found;
}

/** A request with more values is not searched: any of them may be in the sentence. */
const MAX_VALUES = 50_000;

function* partsIn(words: string, { whole, ends, starts }: Parts): Generator<string, void> {
  yield* whole.get(words) ?? NONE;
  for (const { part, statement, isOpen } of ends.get(startKey(words)) ?? NONE)
    if (words.startsWith(part) && (isOpen || isBoundary(words[part.length]))) yield statement;
  for (const { part, statement } of starts.get(endKey(words)) ?? NONE)
    if (words.endsWith(part) && isBoundary(words[words.length - part.length - 1])) yield statement;
}

/** Among Latin letters a Chinese character separates words. */
function spellingsOf(value: string): readonly string[] {
  const words = wordsOf(value);
  if (!words.includes(' ') || !ANY_CHINESE.test(words)) return [words];
  return [words, wordsOf(words.replaceAll(CHINESE, ' '))];
}

/** Words as the phrase scanner separates them; each Chinese character and each number counts as a word: `20s`. */
export function wordsOf(text: string): string {
  if (ONE_WORD.test(text)) return text;
  return text
    .toLowerCase()
    .replaceAll(APOSTROPHES, '')
    .replaceAll(OWN_WORDS, ' $& ')
    .replaceAll(SEPARATORS, ' ')
    .trim();
}

const ONE_WORD = /^(?:[a-z]{1,20}|\d{1,20})$/;
const APOSTROPHES = /['’‘]/g;
const OWN_WORDS = /[\u4e00-\u9fff]|\d+/g;
const CHINESE = /[\u4e00-\u9fff]/g;
const ANY_CHINESE = /[\u4e00-\u9fff]/;
const SEPARATORS = /[^a-z\d#\u4e00-\u9fff]+/g;

type Part = { readonly part: string; readonly statement: string; readonly isOpen: boolean };

type Parts = {
  readonly whole: Map<string, string[]>;
  /** The ends of statements by their first letters, with which a value may begin. */
  readonly ends: Map<string, Part[]>;
  /** The starts of statements by their last letters, with which a value may end. */
  readonly starts: Map<string, Part[]>;
};

/** Two characters, so that few parts share a key. */
const startKey = (words: string): string => `${words} `.slice(0, 2);
const endKey = (words: string): string => ` ${words}`.slice(-2);
const NONE: readonly never[] = [];

/** A statement that ends with a `*` continues within its last word. */
function indexParts(statements: readonly string[]): Parts {
  const parts: Parts = { whole: new Map(), ends: new Map(), starts: new Map() };
  for (const statement of statements) {
    const words = wordsOf(statement).split(' ');
    const isOpen = statement.endsWith('*');
    for (let from = 0; from < words.length; from += 1) {
      if (from > 0) {
        const part = words.slice(from).join(' ');
        add(parts.ends, startKey(part), { part, statement, isOpen });
      }
      for (let to = from + 1; to <= words.length; to += 1) {
        const part = words.slice(from, to).join(' ');
        const isWhole = part === words.join(' ');
        for (const each of isWhole ? singulars(part) : [part, ...singulars(part)]) {
          add(parts.whole, each, statement);
          if (from === 0) add(parts.starts, endKey(each), { part: each, statement, isOpen: false });
        }
      }
    }
  }
  return parts;
}

/** A provider may make a plural or a possessive of a value: `{user}’s limit`. */
function singulars(part: string): readonly string[] {
  return PLURAL.test(part) ? [part.slice(0, -1)] : [];
}

const PLURAL = /[a-z]{2}s$/;

function add<Value>(index: Map<string, Value[]>, key: string, value: Value): void {
  const known = index.get(key);
  if (known) known.push(value);
  else index.set(key, [value]);
}

function isBoundary(character: string | undefined): boolean {
  return character === undefined || character === ' ';
}
