// Splits a text into its parts: an HTML page, the data lines of an event stream, JSON, a sentence with JSON
// after it (`API Error: 529 {…}`), damaged JSON, or prose.

import { isHtml, readHtml } from './html-page.ts';
import { type LoosePair, loosePairs } from './loose-pairs.ts';

export type TextPiece =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'json'; readonly value: object }
  | {
      readonly kind: 'pairs';
      readonly pairs: readonly LoosePair[];
      /** It opens like JSON and is cut or does not parse. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'page'; readonly text: string; readonly status: number | undefined };

/** Fast check for plain prose, the most common case. False if the full split has to decide. */
export function isSentence(text: string): boolean {
  return (
    isPrinted(text.charCodeAt(0)) &&
    isPrinted(text.charCodeAt(text.length - 1)) &&
    !CLOSER_LOOKS.includes(text.charAt(0)) &&
    !text.includes('{') &&
    !text.includes('[')
  );
}

/** ASCII without white space. */
function isPrinted(code: number): boolean {
  return code > 32 && code < 127;
}

export function piecesOf(raw: string): TextPiece[] {
  const text = withoutAnsi(raw).trim();
  if (text === '') return [];
  const first = text[0] ?? '';
  if (first === '<' && isHtml(text)) return [{ kind: 'page', ...readHtml(text) }];
  if (STREAM_OPENINGS.includes(first) && STREAM_START.test(text)) {
    const frames = framesOf(text);
    if (frames.length > 0) return frames.flatMap(sentencePieces);
  }
  return sentencePieces(text);
}

/** An object or an array, else undefined. */
export function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const STREAM_OPENINGS = 'edir:';
const CLOSER_LOOKS = `<${STREAM_OPENINGS}`;
const STREAM_START = /^(?:event|data|id|retry|):/;

const MAX_FRAMES = 20;

/** The data lines of an event stream; none for any other text. */
export function dataLines(text: string): readonly string[] {
  return STREAM_START.test(text) ? framesOf(text) : [];
}

function framesOf(text: string): string[] {
  const lines = text.split('\n', 200).filter((line) => line.startsWith('data:'));
  const frames = lines.map((line) => line.slice(5).trim());
  // A failure ends a stream, so it is in the last frames.
  return frames.filter((frame) => frame !== '' && frame !== '[DONE]').slice(-MAX_FRAMES);
}

function sentencePieces(text: string): TextPiece[] {
  if (!text.includes('{') && !text.includes('[')) return [{ kind: 'prose', text }];
  const start = text.slice(0, LATEST_JSON_START).search(JSON_START);
  if (start === -1) return [{ kind: 'prose', text }];
  const end = endOfJson(text);
  const value = end > start ? parseJson(text.slice(start, end)) : undefined;
  if (value !== undefined) {
    return [...prose(text.slice(0, start)), { kind: 'json', value }, ...prose(text.slice(end))];
  }
  const pairs = loosePairs(text.slice(start, start + MAX_LOOSE_TEXT));
  const isCut = start === 0 && (end === 0 || OPENS_AS_JSON.test(text));
  if (pairs.length === 0 && !isCut) return [{ kind: 'prose', text }];
  return [...prose(text.slice(0, start)), { kind: 'pairs', pairs, isCut }];
}

/** Python output opens with other quotes and is not cut JSON. */
const OPENS_AS_JSON = /^[{[]{1,2}\s{0,20}"/;

/** The index after the last bracket, if it is near the end of the text: little text ever follows JSON. */
function endOfJson(text: string): number {
  const tail = text.slice(-MAX_TAIL);
  const close = Math.max(tail.lastIndexOf('}'), tail.lastIndexOf(']'));
  return close === -1 ? 0 : text.length - tail.length + close + 1;
}

const MAX_TAIL = 512;

// A cut or misquoted body states the failure first; the rest is not parsed.
const MAX_LOOSE_TEXT = 2_048;

// Sentences in front of JSON are short. Brackets are common in prose; these openings are not.
const LATEST_JSON_START = 1_024;
const JSON_START = /[{[]\s*["'{}\]]/;

function prose(text: string): TextPiece[] {
  const trimmed = text.trim();
  return trimmed === '' ? [] : [{ kind: 'prose', text: trimmed }];
}

function withoutAnsi(text: string): string {
  if (!text.includes('\u001b')) return text;
  return text.replaceAll(ANSI, '');
}

// oxlint-disable-next-line no-control-regex -- command-line clients colour their messages
const ANSI = /\u001b\[[\d;]{0,20}[A-Za-z]/g;
