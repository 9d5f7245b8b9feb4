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
  draft.headers.push(around.headers);
  read('text', failure, {
    draft,
    budget: { characters: 8_192, values: 300 },
    depth: 1,
    isPaid: false,
  });
  return draft.finish();
}

const MAX_DEPTH = 10;
const MAX_LIST_LENGTH = 20;
const MAX_KEYS = 60;
const MAX_NAME_LENGTH = 100;

type Walk = {
  readonly draft: ReadingDraft;
  readonly budget: { characters: number; values: number };
  readonly depth: number;
  /** Strings inside a JSON text were paid for with the text. */
  readonly isPaid: boolean;
};

function read(role: KeyRole, value: unknown, walk: Walk): void {
  if (walk.depth > MAX_DEPTH || walk.budget.values <= 0) return;
  walk.budget.values -= 1;
  if (typeof value === 'string') readString(role, value, walk);
  else if (typeof value === 'number') readNumber(role, value, walk);
  else if (typeof value === 'object' && value !== null) readObject(role, value, walk);
}

function readObject(role: KeyRole, value: object, walk: Walk): void {
  if (role === 'headers') walk.draft.headers.push(value);
  else if (Array.isArray(value)) readList(role, value, walk);
  else if (value instanceof ArrayBuffer) readBytes(new Uint8Array(value), walk);
  else if (value instanceof Uint8Array) readBytes(value, walk);
  else readRecord(value, walk);
}

function readBytes(bytes: Uint8Array, walk: Walk): void {
  readText(new TextDecoder().decode(bytes.subarray(0, walk.budget.characters)), walk);
}

function readList(role: KeyRole, list: readonly unknown[], walk: Walk): void {
  if (role === 'field' && list.every((part) => typeof part !== 'object')) {
    readString(role, list.slice(0, 8).join('.'), walk);
    return;
  }
  const inner = { ...walk, depth: walk.depth + 1 };
  for (const item of list.slice(0, MAX_LIST_LENGTH)) read(role, item, inner);
}

function readRecord(record: object, walk: Walk): void {
  const inner = { ...walk, depth: walk.depth + 1 };
  for (const key of keysOf(record)) {
    const role = roleOf(key);
    if (role !== undefined) read(role, valueOf(record, key), inner);
    else if (key.endsWith('Exception')) readException(key, valueOf(record, key), inner);
  }
  if (record instanceof Error) walk.draft.names.push(plainName(classNameOf(record)));
}

// Amazon's event streams name the exception in the key: `{"modelStreamErrorException":{…}}`.
function readException(key: string, value: unknown, walk: Walk): void {
  walk.draft.names.push(plainName(key));
  read('text', value, walk);
}

function readNumber(role: KeyRole, value: number, { draft, depth }: Walk): void {
  if (role === 'seconds' || role === 'milliseconds' || role === 'moment') {
    draft.waits.push({ unit: role, value });
  } else if (role === 'name' || role === 'status' || role === 'text') {
    if (!draft.addStatus(value, depth) && role === 'name') draft.names.push(String(value));
  }
}

function readString(role: KeyRole, value: string, walk: Walk): void {
  const { draft, depth } = walk;
  if (role === 'text' || role === 'container') readText(value, walk);
  else if (role === 'name' || role === 'status') {
    if (draft.addStatus(value, depth)) return;
    if (value.length > MAX_NAME_LENGTH) readText(value, walk);
    else draft.names.push(plainName(value));
  } else if (value.length > MAX_NAME_LENGTH || role === 'headers') return;
  else if (role === 'outcome') draft.outcomes.push(plainName(value));
  else if (role === 'window') draft.windows.push(value.toLowerCase());
  else if (role === 'field') draft.field ??= value;
  else draft.waits.push({ unit: role, value });
}

function readText(value: string, walk: Walk): void {
  const text = walk.isPaid ? value : value.slice(0, walk.budget.characters);
  if (!walk.isPaid) walk.budget.characters -= text.length;
  const inner = { ...walk, depth: walk.depth + 1, isPaid: true };
  for (const piece of piecesOf(text)) readPiece(piece, inner);
}

function readPiece(piece: TextPiece, walk: Walk): void {
  if (piece.kind === 'json') read('text', piece.value, walk);
  else if (piece.kind === 'pairs') {
    for (const { key, value } of piece.pairs) {
      const role = roleOf(key);
      if (role !== undefined) read(role, value, walk);
    }
  } else {
    walk.draft.addText(piece.text);
    if (piece.kind === 'page') readPage(piece.status, walk);
    // `{"error":"invalid_grant"}`: one word is a name as much as a sentence.
    else if (/^[\w.-]{3,60}$/.test(piece.text)) walk.draft.names.push(plainName(piece.text));
  }
}

function readPage(status: number | undefined, { draft, depth }: Walk): void {
  draft.isHtml = true;
  draft.addStatus(status, depth);
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
