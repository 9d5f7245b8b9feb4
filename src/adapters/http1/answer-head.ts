// The head of an HTTP/1 answer, from its text to what it means: status, fields, how long the body is and whether the
// connection can be used again (RFC 9112, sections 4 to 6 and 9). Pure. Strict where leniency lets two readers of the
// same bytes disagree: a line without its CR, a folded line, a space before the colon, two different lengths.

import type { UpstreamHeaders } from '../../upstream/upstream.ts';
import { MalformedAnswer } from './malformed-answer.ts';

export type AnswerHead = {
  readonly status: number;
  /** Names in lower case; a field that came more than once is a list. */
  readonly headers: UpstreamHeaders;
  /** So many bytes, chunks that say when they end, or all that comes until the connection ends. */
  readonly body: number | 'chunked' | 'rest';
  /** For how long the server promises to keep the connection: 0 for not at all, undefined when it does not say. */
  readonly keepAliveMs: number | undefined;
};

type Fields = Record<string, string | string[] | undefined>;

/** Without the empty line that ends it. */
export function readAnswerHead(text: string): AnswerHead {
  const statusEnd = endOfLine(text, 0);
  const status = readStatus(text);
  // Without a prototype, so that no field's name means anything but itself.
  const headers: Fields = Object.create(null);
  for (let at = statusEnd + 2; at < text.length; ) {
    const end = endOfLine(text, at);
    addField(headers, text, at, end);
    at = end + 2;
  }
  const body = bodyOf(status, headers);
  return { status, headers, body, keepAliveMs: keepAliveOf(text, headers, body) };
}

/** Where the line ends that begins at `from`; only CR LF ends one. */
function endOfLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from);
  if (lineFeed === -1) return text.length;
  if (text.charCodeAt(lineFeed - 1) === CARRIAGE_RETURN) return lineFeed - 1;
  throw new MalformedAnswer('a line of the head does not end with CR LF');
}

/** `HTTP/1.1 200 …`; the words behind the number mean nothing. */
function readStatus(text: string): number {
  const status = text.slice(9, 12);
  const isVersionOne = text.startsWith('HTTP/1.1 ') || text.startsWith('HTTP/1.0 ');
  const after = text.charCodeAt(12);
  const isEnded = text.length === 12 || after === SPACE || after === CARRIAGE_RETURN;
  if (isVersionOne && isEnded && STATUS.test(status)) return Number(status);
  throw new MalformedAnswer('the status line is none of HTTP/1');
}

function addField(headers: Fields, text: string, from: number, end: number): void {
  const colon = text.indexOf(':', from);
  if (colon === -1 || colon >= end) throw new MalformedAnswer('a field has no name');
  const name = lowerCased(text.slice(from, colon));
  const value = text.slice(colon + 1, end).trim();
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (typeof known === 'string') headers[name] = [known, value];
  else known.push(value);
}

/** Providers send the same few names again and again. */
const knownNames = new Map<string, string>();
const MAX_KNOWN_NAMES = 500;

function lowerCased(name: string): string {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  // No white space either: neither a folded line nor one with a space before its colon has a name.
  if (!TOKEN.test(name)) throw new MalformedAnswer('the name of a field is none');
  const lower = name.toLowerCase();
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, lower);
  return lower;
}

function bodyOf(status: number, headers: Fields): AnswerHead['body'] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  // The coding wins over a length; whoever sends both is not trusted with the connection again.
  if (encoding !== undefined) return isChunked(encoding) ? 'chunked' : 'rest';
  if (length === undefined) return 'rest';
  return readLength(typeof length === 'string' ? length : onlyOne(length));
}

function isChunked(encoding: string | readonly string[]): boolean {
  const last = typeof encoding === 'string' ? encoding : (encoding.at(-1) ?? '');
  return /(?:^|,)[ \t]*chunked[ \t]*$/i.test(last);
}

function onlyOne(values: readonly string[]): string {
  const [first = ''] = values;
  if (values.every((value) => value === first)) return first;
  throw new MalformedAnswer('the answer has two lengths');
}

function readLength(text: string): number {
  if (LENGTH.test(text)) return Number(text);
  throw new MalformedAnswer('the length of the body is not a number');
}

function keepAliveOf(text: string, headers: Fields, body: AnswerHead['body']): number | undefined {
  const { connection, 'keep-alive': hint } = headers;
  const isOver = connection !== undefined && CLOSE.test(String(connection));
  const isAmbiguous =
    headers['transfer-encoding'] !== undefined && headers['content-length'] !== undefined;
  if (isOver || isAmbiguous || body === 'rest' || text.startsWith('HTTP/1.0')) return 0;
  const seconds = typeof hint === 'string' ? TIMEOUT.exec(hint)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const STATUS = /^[1-9]\d\d$/;
const LENGTH = /^\d{1,15}$/;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;
const TIMEOUT = /(?:^|[,;\s])timeout\s*=\s*(\d{1,6})(?:$|[,;\s])/i;
