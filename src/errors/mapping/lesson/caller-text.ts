// Takes the caller's own words out of a provider's sentence. A provider that quotes the request repeats its phrases and
// times: a phrase that the request contains is no evidence, and neither is a time that the request contains.

import type { Meaning } from '../meaning/meanings.ts';
import { findPhrases, NO_MATCHES, type PhraseMatches } from '../text/find-phrases.ts';
import type { Phrase, PhraseRule } from '../text/phrase-book.ts';
import { joinedStatements, wordsOf } from './joined-words.ts';
import { requestValues } from './request-values.ts';

/** The text of the request; undefined if it is too long to be searched for phrases. */
export type CallerText = {
  (): string | undefined;
  /** Searches a text of any length; true also if it may contain the words in another spelling. */
  readonly mayContain?: (words: string) => boolean;
  /** Whether a whole string of the JSON body is this name; true also if the name could be spelled in other ways. */
  readonly mayState?: (value: string) => boolean;
  /** The values of which a provider can make a part of its sentence. */
  readonly values?: () => Iterable<string>;
};

/** Whether the request contains the words. */
export function isSaidBy(callerText: CallerText | undefined, words: string): boolean {
  const own = spaced(words).trim().toLowerCase();
  if (!callerText || own === '') return false;
  return callerText()?.includes(own) ?? callerText.mayContain?.(words) ?? true;
}

/**
 * The phrases and waits of the sentence that the request neither contains nor can be a part of; nothing if the request is not
 * known.
 */
export function findOwnPhrases(text: string, callerText: CallerText): PhraseMatches {
  const found = findPhrases(text);
  if (found.phrases.length === 0 && found.waitEnds.length === 0) return found;
  const said = callerText();
  if (said === undefined) return NO_MATCHES;
  const foreign = new Set(findPhrases(said).phrases);
  // A short window only turns a limit into a throttle, so that it counts even if the request contains it.
  const phrases = found.phrases.filter((phrase) => phrase.isShortWindow || !foreign.has(phrase));
  const waitEnds = found.waitEnds.filter((end) => !isSaid(text.slice(end), said));
  return withoutJoined({ phrases, waitEnds }, text, callerText);
}

function withoutJoined(
  { phrases, waitEnds }: PhraseMatches,
  text: string,
  { values }: CallerText,
): PhraseMatches {
  if (!values) return { phrases, waitEnds };
  const waits = new Map(waitEnds.map((end) => [end, waitStatement(text, end)]));
  const limits = phrases.filter(isTeaching);
  const statements = [...limits.map((phrase) => phrase.text), ...waits.values()];
  const joined = joinedStatements(statements, values());
  return {
    phrases: phrases.filter((phrase) => !joined.has(phrase.text)),
    waitEnds: waitEnds.filter((end) => !joined.has(waits.get(end) ?? '')),
  };
}

/**
 * The sentence with all its phrases except foreign statements of a limit. A request that contains `too many requests` thereby makes
 * no limit of a throttle.
 */
export function findNarrowPhrases(text: string, own: PhraseMatches): PhraseMatches {
  const known = new Set(own.phrases);
  const phrases = findPhrases(text).phrases.filter((each) => known.has(each) || !statesLimit(each));
  return { phrases, waitEnds: own.waitEnds };
}

/** Other phrases narrow a lesson, and so does a short window. */
function isTeaching(phrase: Phrase): boolean {
  return !phrase.isShortWindow && (statesLimit(phrase) || phrase.rules.some(isOf(TEACHING)));
}

function statesLimit({ isLongWindow, completes, rules }: Phrase): boolean {
  return isLongWindow || completes !== 0 || rules.some(isOf(LIMITS));
}

function isOf(meanings: ReadonlySet<Meaning>): (rule: PhraseRule) => boolean {
  return ({ decided }) => meanings.has(decided.meaning);
}

const LIMITS: ReadonlySet<Meaning> = new Set(['quota', 'limit']);
const TEACHING: ReadonlySet<Meaning> = new Set(['throttle', 'credentials']);

/** The word before the end of a wait word, up to the time and its unit. */
function waitStatement(text: string, end: number): string {
  const [word = ''] = LAST_WORD.exec(text.slice(Math.max(0, end - MAX_WAIT_WORD), end)) ?? [];
  const behind = text.slice(end, end + MAX_STATEMENT);
  const [time = ''] = TIME_AND_UNIT.exec(behind) ?? FIVE_WORDS.exec(behind) ?? [];
  return wordsOf(`${word}${time}`);
}

const MAX_WAIT_WORD = 20;
const MAX_STATEMENT = 100;
/** `again in half an hour`. */
const FIVE_WORDS = /^(?:[^a-z]{1,6}[a-z]{1,12}){1,5}/i;
const LAST_WORD = /(?:[a-z]{1,20}|[\u4e00-\u9fff]{1,4})[^a-z\u4e00-\u9fff]{0,3}$/i;
const TIME_AND_UNIT = /^[^\d]{0,40}\d[\d:.,-]{0,20}(?:\s?[a-z]{1,12})?/i;

/**
 * The sentence without the digits of numbers that decide by themselves and that the request contains: `|1754636400`, `limit: 0`.
 * Letters take their places, because a space would make a word, and perhaps a phrase, of what follows.
 */
export function withoutSaidNumbers(text: string, callerText: CallerText): string {
  if (!NUMBER.test(text)) return text;
  const said = callerText();
  return text.replaceAll(NUMBERS, (words) =>
    said === undefined || said.includes(words.replace('|', '').toLowerCase())
      ? words.replaceAll(/\d/g, 'x')
      : words,
  );
}

const NUMBER = /\|\d{10}|limit: 0/;
const NUMBERS = /\|\d{10,13}|limit: 0/g;

/**
 * Whether the request contains the beginning of a statement, up to the end of its first number or second word. Behind
 * punctuation the number and its unit suffice: the provider may quote them after its own words.
 */
function isSaid(statement: string, said: string): boolean {
  const [quoted] = BARE_TIME.exec(statement) ?? [];
  if (quoted !== undefined && said.includes(spaced(quoted.replace(/^\W+/, '')).toLowerCase()))
    return true;
  const [start] = TIME.exec(statement) ?? TWO_WORDS.exec(statement) ?? [];
  const words = start === undefined ? '' : spaced(start).trim().toLowerCase();
  return words !== '' && said.includes(words);
}

const BARE_TIME = /^\W{1,6}\d[\d:.,-]{0,20}\s?[a-z]{1,12}/i;
const TIME = /^[^\d]{0,40}\d[\d:.,-]{0,20}/;
const TWO_WORDS = /^\W{0,5}\w{1,20}\W{1,3}\w{1,20}/;

/** Longer requests are not searched, and a provider's sentence about them teaches nothing. */
const MAX_CALLER_CHARACTERS = 1_048_576;

export type SentText = {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
};

/** The text of a request as it was sent: path, headers and body, decoded as a provider decodes them. */
export function callerTextOf({ path, headers, body }: SentText): CallerText {
  let text: string | undefined;
  let whole: string | undefined;
  const beside = () => [decodedUri(path), ...headers];
  const read = () => {
    if (body.length > MAX_CALLER_CHARACTERS) return undefined;
    text ??= spaced([...beside(), ...decodings(body)].join('\n')).toLowerCase();
    return text;
  };
  return Object.assign(read, {
    mayContain(words: string) {
      whole ??= [...beside(), new TextDecoder().decode(body)].join('\n').toLowerCase();
      return mayContain(whole, words.toLowerCase());
    },
    mayState: (value: string) => mayState(body, value),
    values: () =>
      requestValues({ path: decodedUri(path), headers, body: new TextDecoder().decode(body) }),
  });
}

/** Searches for the string with its quotes: in the text of a prompt they are escaped. */
function mayState(body: Uint8Array, value: string): boolean {
  if (!PLAIN_NAME.test(value)) return true;
  const spellings = Array.from(value, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `(?:\\u${hex}|\\\\u${hex})`;
  });
  return new RegExp(`"${spellings.join('')}"`, 'i').test(new TextDecoder().decode(body));
}

const PLAIN_NAME = /^[\w.:#-]+(?: [\w.:#-]+)*$/;

/** Clients send printable ASCII unescaped: an escape of it could hide the words from this search. */
function mayContain(sent: string, words: string): boolean {
  const spellings = [words, JSON.stringify(words).slice(1, -1)];
  return [...spellings, ...ASCII_ESCAPES].some((spelling) => sent.includes(spelling));
}

const ASCII_ESCAPES: readonly string[] = [
  '\\u002',
  '\\u003',
  '\\u004',
  '\\u005',
  '\\u006',
  '\\u007',
];

/** A provider that quotes a request may break its lines or join them. */
function spaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** The arguments of a tool call are JSON in a string of the body, so that their escapes are escaped again. */
function decodings(body: Uint8Array): readonly string[] {
  const once = decodedJson(new TextDecoder().decode(body));
  return once.includes('\\') ? [once, decodedJson(once)] : [once];
}

function decodedUri(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Resolves the escapes of JSON strings, so that an escaped phrase is found. */
function decodedJson(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replaceAll(ESCAPE, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined
      ? (PLAIN[char ?? ''] ?? char ?? '')
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(.))/gs;
const PLAIN: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
