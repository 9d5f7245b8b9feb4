// Parses the head of an HTTP/1 response: status, fields, body length and whether the connection can be reused (RFC 9112,
// sections 4 to 6 and 9). Pure. Strict where two lenient parsers could disagree on the same bytes: a line without CR, a
// folded line, a space before the colon, two different lengths.

import type { UpstreamHeaders } from '../../upstream/upstream.ts';
import { MalformedResponse } from './malformed-response.ts';

export type ResponseHead = {
  readonly status: number;
  /** Names in lower case; a repeated field is a list. */
  readonly headers: UpstreamHeaders;
  /** The number of bytes, chunked coding, or all bytes up to the end of the connection. */
  readonly body: number | 'chunked' | 'rest';
  /** How long the server keeps the connection open: 0 when it closes it, undefined when it states nothing. */
  readonly keepAliveMs: number | undefined;
};

type Fields = Record<string, string | string[] | undefined>;

/** `text` excludes the empty line that ends the head. Throws MalformedResponse. */
export function readResponseHead(text: string): ResponseHead {
  const statusEnd = endOfLine(text, 0);
  const status = readStatus(text);
  // Without a prototype, so that `__proto__` is a plain field name.
  const headers: Fields = Object.create(null);
  for (let at = statusEnd + 2, index = 0; at < text.length; index += 1) {
    const end = endOfLine(text, at);
    addField(headers, text, at, end, index);
    at = end + 2;
  }
  const body = bodyOf(status, headers);
  return { status, headers, body, keepAliveMs: keepAliveOf(text, headers, body) };
}

/** The end of the line that begins at `from`; only CR LF ends a line. */
function endOfLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from);
  if (lineFeed === -1) return text.length;
  if (text.charCodeAt(lineFeed - 1) === CARRIAGE_RETURN) return lineFeed - 1;
  throw new MalformedResponse('a line of the head does not end with CR LF');
}

/** `HTTP/1.1 200 …`; the reason phrase is ignored. */
function readStatus(text: string): number {
  const status = text.slice(9, 12);
  const isVersionOne = text.startsWith('HTTP/1.1 ') || text.startsWith('HTTP/1.0 ');
  const after = text.charCodeAt(12);
  const isEnded = text.length === 12 || after === SPACE || after === CARRIAGE_RETURN;
  if (isVersionOne && isEnded && STATUS.test(status)) return Number(status);
  throw new MalformedResponse('the status line is not HTTP/1');
}

function addField(headers: Fields, text: string, from: number, end: number, index: number): void {
  const colon = text.indexOf(':', from);
  if (colon === -1 || colon >= end) throw new MalformedResponse('a field has no name');
  const name = nameBetween(text, from, colon, index);
  const value = text.slice(colon + 1, end).trim();
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (typeof known === 'string') headers[name] = [known, value];
  else known.push(value);
}

type FieldName = { readonly written: string; readonly lower: string };

/** The names of the response before, by their place: a provider sends them in the same order, and comparing is cheaper than a lookup. */
const lastNames: FieldName[] = [];
const MAX_LAST_NAMES = 50;

function nameBetween(text: string, from: number, colon: number, index: number): string {
  const last = lastNames[index];
  if (last?.written.length === colon - from && text.startsWith(last.written, from))
    return last.lower;
  const written = text.slice(from, colon);
  const lower = lowerCased(written);
  if (index < MAX_LAST_NAMES) lastNames[index] = { written, lower };
  return lower;
}

/** Caches lower-cased names: providers repeat the same few in every response. */
const knownNames = new Map<string, string>();
const MAX_KNOWN_NAMES = 500;

function lowerCased(name: string): string {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  // White space is not a token character, so a folded line and a space before the colon are malformed.
  if (!TOKEN.test(name)) throw new MalformedResponse('the name of a field is not a token');
  const lower = name.toLowerCase();
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, lower);
  return lower;
}

function bodyOf(status: number, headers: Fields): ResponseHead['body'] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  // The coding overrides a length; a response with both closes the connection (RFC 9112, section 6.1).
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
  throw new MalformedResponse('the response has two lengths');
}

function readLength(text: string): number {
  if (LENGTH.test(text)) return Number(text);
  throw new MalformedResponse('the length of the body is not a number');
}

function keepAliveOf(
  text: string,
  headers: Fields,
  body: ResponseHead['body'],
): number | undefined {
  const { connection, 'keep-alive': hint } = headers;
  const isClosing = connection !== undefined && CLOSE.test(String(connection));
  const isAmbiguous =
    headers['transfer-encoding'] !== undefined && headers['content-length'] !== undefined;
  if (isClosing || isAmbiguous || body === 'rest' || text.startsWith('HTTP/1.0')) return 0;
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
