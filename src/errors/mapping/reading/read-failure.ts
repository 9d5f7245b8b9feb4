// Reads any failure once: a string, an Error with causes, an SDK error, an HTTP response, an SSE frame,
// bytes, or any other value. Reads at most 8 KiB of text and 300 values, enters only known keys, and never
// throws, even if a getter or a proxy does.

import { type KeyRole, roleOf } from './key-roles.ts';
import { type Reading, ReadingDraft } from './reading.ts';
import { isSentence, parseJson, piecesOf, type TextPiece } from './text-pieces.ts';

export function readFailure(
  failure: unknown,
  around: { readonly status?: number; readonly headers?: unknown },
): Reading {
  const draft = new ReadingDraft();
  draft.addStatus(around.status, 0);
  if (isObject(around.headers)) draft.addHeaders(around.headers);
  try {
    read(draft, 'text', failure, 1);
  } catch {
    // A proxy trap threw; the values read before it still count.
  }
  return draft.finish();
}

const MAX_DEPTH = 10;
const MAX_LIST_LENGTH = 20;
const MAX_KEYS = 60;
const MAX_NAME_LENGTH = 100;

function read(draft: ReadingDraft, role: KeyRole, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH || draft.valuesLeft <= 0) return;
  draft.valuesLeft -= 1;
  if (typeof value === 'string') readString(draft, role, value, depth);
  else if (typeof value === 'number') readNumber(draft, role, value, depth);
  else if (isObject(value)) readObject(draft, role, value, depth);
}

function readObject(draft: ReadingDraft, role: KeyRole, value: object, depth: number): void {
  if (role === 'headers') draft.addHeaders(value);
  else if (role === 'dimensions') draft.isCountedByModel ||= 'model' in value;
  else if (Array.isArray(value)) readList(draft, role, value, depth);
  // Parsed JSON is a plain object; checking its class again would cost as much as reading it.
  else if (isPlain(value)) readPlain(draft, value, depth);
  else if (value instanceof Uint8Array) readBytes(draft, value, depth);
  else if (value instanceof ArrayBuffer) readBytes(draft, new Uint8Array(value), depth);
  else readRecord(draft, value, depth);
}

function readBytes(draft: ReadingDraft, bytes: Uint8Array, depth: number): void {
  readText(draft, new TextDecoder().decode(bytes.subarray(0, draft.charactersLeft)), depth);
}

function readList(draft: ReadingDraft, role: KeyRole, list: readonly unknown[], depth: number) {
  if (role === 'field' && list.every((part) => typeof part !== 'object')) {
    readString(draft, role, list.slice(0, 8).join('.'), depth);
    return;
  }
  const length = Math.min(list.length, MAX_LIST_LENGTH);
  for (let place = 0; place < length; place += 1) read(draft, role, list[place], depth + 1);
}

/** Walks a plain object without allocating a list of keys. */
function readPlain(
  draft: ReadingDraft,
  record: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  let keysLeft = MAX_KEYS;
  for (const key in record) {
    if (keysLeft === 0) return;
    keysLeft -= 1;
    const role = roleOf(key);
    if (role === undefined && !key.endsWith('Exception')) continue;
    let value: unknown;
    try {
      // Read inside this loop, where the engine already knows the position of the key's value.
      value = record[key];
    } catch {
      // A getter threw: the field counts as absent.
    }
    if (role === undefined) readException(draft, key, value, depth);
    else read(draft, role, value, depth + 1);
  }
}

function readRecord(draft: ReadingDraft, record: object, depth: number): void {
  for (const key of keysOf(record)) {
    const role = roleOf(key);
    if (role !== undefined) read(draft, role, valueOf(record, key), depth + 1);
    else if (key.endsWith('Exception')) readException(draft, key, valueOf(record, key), depth);
  }
  if (record instanceof Error) draft.addName(classNameOf(record));
}

// Amazon event streams name the exception in the key: `{"modelStreamErrorException":{…}}`.
function readException(draft: ReadingDraft, key: string, value: unknown, depth: number): void {
  draft.addName(key);
  read(draft, 'text', value, depth + 1);
}

function readNumber(draft: ReadingDraft, role: KeyRole, value: number, depth: number): void {
  if (role === 'seconds' || role === 'milliseconds' || role === 'instant') {
    draft.waits = [...draft.waits, { unit: role, value }];
  } else if (role === 'name' || role === 'status' || role === 'text') {
    const isTaken = draft.addStatus(value, depth);
    if (!isTaken && role === 'name') draft.addName(String(value));
  }
}

function readString(draft: ReadingDraft, role: KeyRole, value: string, depth: number): void {
  if (role === 'text' || role === 'container') readText(draft, value, depth);
  else if (role === 'name' || role === 'status') readName(draft, value, depth);
  else if (value.length > MAX_NAME_LENGTH || role === 'headers' || role === 'dimensions') return;
  else if (role === 'outcome') draft.outcomes = [...draft.outcomes, value];
  else if (role === 'window') draft.windows = [...draft.windows, value.toLowerCase()];
  else if (role === 'field') draft.field ??= value;
  else draft.waits = [...draft.waits, { unit: role, value }];
}

function readName(draft: ReadingDraft, value: string, depth: number): void {
  if (value.length > MAX_NAME_LENGTH) readText(draft, value, depth);
  else if (!draft.addStatus(value, depth)) draft.addName(value);
}

function readText(draft: ReadingDraft, value: string, depth: number): void {
  if (draft.isCounted) return readPaidText(draft, value, depth);
  const text = value.slice(0, draft.charactersLeft);
  draft.charactersLeft -= text.length;
  draft.isCounted = true;
  readPaidText(draft, text, depth);
  draft.isCounted = false;
}

function readPaidText(draft: ReadingDraft, text: string, depth: number): void {
  // Most bodies are pure JSON.
  const whole = text.startsWith('{') && text.endsWith('}') ? parseJson(text) : undefined;
  if (whole !== undefined) return read(draft, 'text', whole, depth + 1);
  if (isSentence(text)) return readSentence(draft, text);
  for (const piece of piecesOf(text)) readPiece(draft, piece, depth + 1);
}

function readPiece(draft: ReadingDraft, piece: TextPiece, depth: number): void {
  if (piece.kind === 'json') read(draft, 'text', piece.value, depth);
  else if (piece.kind === 'pairs') {
    if (piece.isCut) draft.isCut = true;
    for (const { key, value } of piece.pairs) {
      const role = roleOf(key);
      if (role !== undefined) read(draft, role, value, depth);
    }
  } else if (piece.kind === 'page') {
    draft.addText(piece.text);
    draft.addStatus(piece.status, depth);
  } else readSentence(draft, piece.text);
}

function readSentence(draft: ReadingDraft, text: string): void {
  draft.addText(text);
  // `{"error":"invalid_grant"}`: a single word may be a name.
  if (isOneWord(text)) draft.addName(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isOneWord(text: string): boolean {
  return text.length <= 60 && !text.includes(' ') && /^[\w.-]{3,60}$/.test(text);
}

// Errors and Responses hold these on the prototype or as non-enumerable properties, which Object.keys omits.
const HIDDEN_KEYS = ['name', 'message', 'code', 'status', 'headers', 'cause', 'errors'];

function keysOf(record: object): readonly string[] {
  try {
    const own = Object.keys(record);
    if (own.length > MAX_KEYS) own.length = MAX_KEYS;
    if (Object.getPrototypeOf(record) === Object.prototype) return own;
    return [...own, ...HIDDEN_KEYS.filter((key) => key in record && !own.includes(key))];
  } catch {
    return [];
  }
}

function valueOf(record: object, key: string): unknown {
  try {
    return (record as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** SDK classes often leave `name` at `Error`; the constructor's name is more specific. */
function classNameOf(error: Error): string {
  const made: unknown = valueOf(error, 'constructor');
  return typeof made === 'function' ? made.name : '';
}
