// Any failure, read once: a string, an Error with causes, an SDK error, an HTTP response, a frame of a
// stream, bytes, or something else altogether. Reads at most 8 KiB of text and 300 values, enters only keys
// it knows, and never throws, though a getter or a proxy may.

import { type KeyRole, roleOf } from './key-roles.ts';
import { type Reading, ReadingDraft } from './reading.ts';
import { plainName } from './structured-names.ts';
import { piecesOf, type TextPiece } from './text-pieces.ts';

export function readFailure(
  failure: unknown,
  around: { readonly status?: number; readonly headers?: unknown },
): Reading {
  const draft = new ReadingDraft();
  draft.addStatus(around.status, 0);
  if (isObject(around.headers)) draft.addHeaders(around.headers);
  try {
    new Reader(draft).read('text', failure, 1);
  } catch {
    // A proxy's trap threw. What was read before it still counts.
  }
  return draft.finish();
}

const MAX_CHARACTERS = 8_192;
const MAX_VALUES = 300;
const MAX_DEPTH = 10;
const MAX_LIST_LENGTH = 20;
const MAX_KEYS = 60;
const MAX_NAME_LENGTH = 100;

/** Walks one failure. What it may still read is its state; what it has read goes into the draft. */
class Reader {
  readonly #draft: ReadingDraft;
  #charactersLeft = MAX_CHARACTERS;
  #valuesLeft = MAX_VALUES;
  /** Strings inside a JSON text were paid for with the text. */
  #isPaid = false;

  constructor(draft: ReadingDraft) {
    this.#draft = draft;
  }

  read(role: KeyRole, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH || this.#valuesLeft <= 0) return;
    this.#valuesLeft -= 1;
    if (typeof value === 'string') this.#readString(role, value, depth);
    else if (typeof value === 'number') this.#readNumber(role, value, depth);
    else if (isObject(value)) this.#readObject(role, value, depth);
  }

  #readObject(role: KeyRole, value: object, depth: number): void {
    if (role === 'headers') this.#draft.addHeaders(value);
    else if (Array.isArray(value)) this.#readList(role, value, depth);
    else if (value instanceof Uint8Array) this.#readBytes(value, depth);
    else if (value instanceof ArrayBuffer) this.#readBytes(new Uint8Array(value), depth);
    else this.#readRecord(value, depth);
  }

  #readBytes(bytes: Uint8Array, depth: number): void {
    this.#readText(new TextDecoder().decode(bytes.subarray(0, this.#charactersLeft)), depth);
  }

  #readList(role: KeyRole, list: readonly unknown[], depth: number): void {
    if (role === 'field' && list.every((part) => typeof part !== 'object')) {
      this.#readString(role, list.slice(0, 8).join('.'), depth);
      return;
    }
    for (const item of list.slice(0, MAX_LIST_LENGTH)) this.read(role, item, depth + 1);
  }

  #readRecord(record: object, depth: number): void {
    for (const key of keysOf(record)) {
      const role = roleOf(key);
      if (role !== undefined) this.read(role, valueOf(record, key), depth + 1);
      else if (key.endsWith('Exception')) this.#readException(key, valueOf(record, key), depth);
    }
    if (record instanceof Error) this.#draft.names.push(plainName(classNameOf(record)));
  }

  // Amazon's event streams name the exception in the key: `{"modelStreamErrorException":{…}}`.
  #readException(key: string, value: unknown, depth: number): void {
    this.#draft.names.push(plainName(key));
    this.read('text', value, depth + 1);
  }

  #readNumber(role: KeyRole, value: number, depth: number): void {
    if (role === 'seconds' || role === 'milliseconds' || role === 'moment') {
      this.#draft.waits = [...this.#draft.waits, { unit: role, value }];
    } else if (role === 'name' || role === 'status' || role === 'text') {
      const isTaken = this.#draft.addStatus(value, depth);
      if (!isTaken && role === 'name') this.#draft.names.push(String(value));
    }
  }

  #readString(role: KeyRole, value: string, depth: number): void {
    if (role === 'text' || role === 'container') this.#readText(value, depth);
    else if (role === 'name' || role === 'status') this.#readName(value, depth);
    else if (value.length > MAX_NAME_LENGTH || role === 'headers') return;
    else if (role === 'outcome') this.#draft.outcomes = [...this.#draft.outcomes, plainName(value)];
    else if (role === 'window') this.#draft.windows = [...this.#draft.windows, value.toLowerCase()];
    else if (role === 'field') this.#draft.field ??= value;
    else this.#draft.waits = [...this.#draft.waits, { unit: role, value }];
  }

  #readName(value: string, depth: number): void {
    if (value.length > MAX_NAME_LENGTH) this.#readText(value, depth);
    else if (!this.#draft.addStatus(value, depth)) this.#draft.names.push(plainName(value));
  }

  #readText(value: string, depth: number): void {
    if (this.#isPaid) {
      for (const piece of piecesOf(value)) this.#readPiece(piece, depth + 1);
      return;
    }
    const text = value.slice(0, this.#charactersLeft);
    this.#charactersLeft -= text.length;
    this.#isPaid = true;
    for (const piece of piecesOf(text)) this.#readPiece(piece, depth + 1);
    this.#isPaid = false;
  }

  #readPiece(piece: TextPiece, depth: number): void {
    if (piece.kind === 'json') this.read('text', piece.value, depth);
    else if (piece.kind === 'pairs') {
      for (const { key, value } of piece.pairs) {
        const role = roleOf(key);
        if (role !== undefined) this.read(role, value, depth);
      }
    } else {
      this.#draft.addText(piece.text);
      if (piece.kind === 'page') this.#draft.addStatus(piece.status, depth);
      // `{"error":"invalid_grant"}`: one word is a name as much as a sentence.
      else if (isOneWord(piece.text)) this.#draft.names.push(plainName(piece.text));
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isOneWord(text: string): boolean {
  return text.length <= 60 && !text.includes(' ') && /^[\w.-]{3,60}$/.test(text);
}

// Errors and Responses keep these on the prototype or hidden, where Object.keys does not see them.
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

/** SDK classes often leave `name` at `Error`; the class itself says more. */
function classNameOf(error: Error): string {
  const made: unknown = valueOf(error, 'constructor');
  return typeof made === 'function' ? made.name : '';
}
