// Reads only the fields of a failure that the provider fills from its own closed lists: the status, the headers, and
// types, codes, reasons, delays and quota names of the error object. Sentences are collected apart and never searched
// for names, statuses or JSON, because a provider quotes the request in them. Never throws.

import type { HeaderFields } from '../reading/header-fields.ts';
import { roleOf } from '../reading/key-roles.ts';
import { type Reading, ReadingDraft, type StatedWait } from '../reading/reading.ts';
import { dataLines, parseJson } from '../reading/text-pieces.ts';
import { isSaidBy } from './caller-text.ts';
import {
  isSaidName,
  isSaidStatus,
  isSaidWait,
  ownWindow,
  type RequestFacts,
} from './said-fields.ts';

export type TypedReading = {
  /** Without text: a provider's sentences are in `messages`. */
  readonly reading: Reading;
  /** The status of the HTTP response; the reading's own may come from the error object. */
  readonly httpStatus: number | undefined;
  /** The provider's sentences, each as a whole. */
  readonly messages: readonly string[];
  /** The failure is an error of this process: a connection that failed, a clock that ran out. */
  readonly isLocal: boolean;
};

export function readTyped(
  failure: unknown,
  around: { readonly status?: number; readonly headers?: unknown } & RequestFacts,
): TypedReading {
  const draft = new TypedDraft(around);
  draft.open(around);
  try {
    draft.read(failure);
  } catch {
    // A getter or a proxy threw; the fields read before it still count.
  }
  return draft.finish();
}

type Fields = Readonly<Record<string, unknown>>;

/** A refusal as Claude's command-line client prints it. */
const PRINTED = /^API Error: (\d{3}) (\{.*\})$/s;

const MAX_BODY_CHARACTERS = 8_192;
const MAX_VALUES = 200;
const MAX_DEPTH = 8;
const MAX_LIST_LENGTH = 20;
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGES = 8;

/** Objects of an error that hold further typed fields. All others may hold the caller's own object. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'error',
  'errors',
  'err',
  'fault',
  'innererror',
  'details',
  'violations',
  'response',
  'base_resp',
]);

class TypedDraft {
  readonly #facts: RequestFacts;
  readonly #draft = new ReadingDraft();
  readonly #messages: string[] = [];
  #httpStatus: number | undefined;
  #isLocal = false;
  #valuesLeft = MAX_VALUES;

  constructor(facts: RequestFacts) {
    this.#facts = facts;
  }

  open({ status, headers }: { readonly status?: number; readonly headers?: unknown }): void {
    this.#setStatus(status);
    if (isFields(headers)) this.#draft.addHeaders(headers);
  }

  read(failure: unknown): void {
    if (failure instanceof Error) return this.#readLocal(failure, 0);
    if (!isFields(failure) || isBytes(failure)) return this.#readBody(failure);
    const { status, statusCode, headers, body, errorName } = failure;
    if (body === undefined && headers === undefined) return this.#walk(failure, 0, false);
    this.#setStatus(status ?? statusCode);
    if (isFields(headers)) this.#draft.addHeaders(headers);
    if (typeof errorName === 'string') this.#draft.addName(errorName);
    this.#readBody(body);
  }

  finish(): TypedReading {
    const { status } = this.#draft;
    const reading = this.#draft.finish();
    // The draft has no text, so the status is a typed one.
    return {
      reading: { ...toReading(reading), status, headers: ownHeaders(reading, this.#httpStatus) },
      httpStatus: this.#httpStatus,
      messages: this.#messages,
      isLocal: this.#isLocal,
    };
  }

  #setStatus(status: unknown): void {
    if (typeof status !== 'number') return;
    this.#httpStatus ??= status;
    this.#draft.addStatus(status, 0);
  }

  /** Names of Node and its HTTP client; the message may quote anything. */
  #readLocal(error: Error, depth: number): void {
    this.#isLocal = true;
    this.#draft.addName(error.name);
    this.#draft.addName(error.constructor.name);
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string') this.#draft.addName(code);
    if (error.cause instanceof Error && depth < MAX_DEPTH) this.#readLocal(error.cause, depth + 1);
  }

  #readBody(body: unknown): void {
    if (typeof body === 'string') return this.#readText(body.slice(0, MAX_BODY_CHARACTERS));
    if (isBytes(body)) {
      const text = new TextDecoder().decode(body.subarray(0, MAX_BODY_CHARACTERS));
      return this.#readText(text);
    }
    this.#walk(body, 0, false);
  }

  /** A JSON document, the data lines of an event stream, or one sentence. */
  #readText(raw: string): void {
    const text = raw.trim();
    const [, status, printed] = PRINTED.exec(text) ?? [];
    if (status !== undefined) this.#setStatus(Number(status));
    const whole = parseJson(printed ?? text);
    if (whole) return this.#walk(whole, 0, false);
    const lines = dataLines(text);
    if (lines.length === 0) return this.#addMessage(text);
    for (const line of lines) this.#walk(parseJson(line), 0, false);
  }

  #walk(value: unknown, depth: number, isDetail: boolean): void {
    if (depth > MAX_DEPTH || this.#valuesLeft <= 0) return;
    this.#valuesLeft -= 1;
    if (Array.isArray(value)) {
      for (const each of value.slice(0, MAX_LIST_LENGTH)) this.#walk(each, depth + 1, isDetail);
      return;
    }
    if (!isFields(value)) return;
    for (const [key, field] of Object.entries(value)) this.#take(key, field, depth, isDetail);
  }

  #take(key: string, value: unknown, depth: number, isDetail: boolean): void {
    if (this.#valuesLeft <= 0) return;
    this.#valuesLeft -= 1;
    if (key === 'choices') return this.#walkChoices(value, depth);
    const isEntered = CONTAINERS.has(key) || (isDetail && key === 'metadata');
    if (typeof value === 'object') {
      if (roleOf(key) === 'dimensions') this.#addDimensions(value);
      else if (isEntered) this.#walk(value, depth + 1, isDetail || key === 'details');
      else if (key.endsWith('Exception')) this.#takeException(key, value, depth);
      else if (key === 'metadata' && depth === 1) this.#addCopiedHeaders(value);
      return;
    }
    this.#addScalar(key, value, depth);
  }

  /** An error beside or among the choices of a completion. */
  #walkChoices(choices: unknown, depth: number): void {
    if (!Array.isArray(choices)) return;
    for (const choice of choices.slice(0, MAX_LIST_LENGTH))
      if (isFields(choice)) this.#walk(choice['error'], depth + 2, false);
  }

  /** Amazon names the exception in the key. */
  #takeException(name: string, value: unknown, depth: number): void {
    this.#addName(name);
    this.#walk(value, depth + 1, false);
  }

  /** OpenRouter repeats the headers of its own limits in the metadata of a 429. */
  #addCopiedHeaders(metadata: object | null): void {
    const headers = metadata && 'headers' in metadata ? metadata.headers : undefined;
    if (this.#httpStatus !== 429 || !isFields(headers)) return;
    const { callerText } = this.#facts;
    const own = Object.entries(headers).filter(
      ([name]) => COPIED_HEADER.test(name) && !isSaidBy(callerText, `"${name}"`),
    );
    this.#draft.addHeaders(own);
  }

  #addDimensions(dimensions: object | null): void {
    if (dimensions && 'model' in dimensions) this.#draft.isCountedByModel = true;
  }

  #addScalar(key: string, value: unknown, depth: number): void {
    // The amount of a limit decides only whether a request was too large for it.
    if (key === 'quotaValue' && QUOTA_VALUE.test(String(value)))
      this.#draft.windows = [...this.#draft.windows, String(value)];
    const role = roleOf(key);
    if (role === undefined || (typeof value !== 'string' && typeof value !== 'number')) return;
    if (role === 'text') return typeof value === 'string' ? this.#addMessage(value) : undefined;
    if (String(value).length > MAX_NAME_LENGTH) return;
    if (role === 'name' || role === 'status') {
      if (isSaidStatus(value, this.#httpStatus, this.#facts)) return;
      if (!this.#draft.addStatus(value, depth + 1)) this.#addName(String(value));
    } else if (role === 'window') this.#addWindow(String(value).toLowerCase());
    else if (role === 'milliseconds' || role === 'seconds' || role === 'instant')
      this.#addWait(key, role, value);
  }

  #addName(name: string): void {
    if (!isSaidName(name, this.#httpStatus, this.#facts)) this.#draft.addName(name);
  }

  #addWindow(window: string): void {
    const own = ownWindow(window, this.#facts);
    if (own !== undefined) this.#draft.windows = [...this.#draft.windows, own];
    // The limit counts the model that its name contains.
    this.#draft.isCountedByModel ||= own !== undefined && own !== window;
  }

  #addWait(key: string, unit: StatedWait['unit'], value: string | number): void {
    if (isSaidWait(key, value, this.#facts)) return;
    this.#draft.waits = [...this.#draft.waits, { unit, value }];
  }

  #addMessage(message: string): void {
    if (message !== '' && this.#messages.length < MAX_MESSAGES) this.#messages.push(message);
  }
}

/**
 * A success with the headers of a used-up subscription is paid from its overage, so that a refusal of its content states no
 * limit.
 */
function ownHeaders({ headers }: Reading, httpStatus = 0): HeaderFields {
  if (httpStatus < 200 || httpStatus > 299) return headers;
  return new Map([...headers].filter(([name]) => !name.startsWith(SUBSCRIPTION_HEADERS)));
}

const SUBSCRIPTION_HEADERS = 'anthropic-ratelimit-unified';
const COPIED_HEADER = /^x-ratelimit-(?:limit|remaining|reset)$/i;
const QUOTA_VALUE = /^\d{1,12}$/;

function toReading(draft: Reading): Reading {
  const { status, headers, names, outcomes, waits, windows, isCountedByModel } = draft;
  const noText = { text: '', field: undefined, isCut: false };
  return { status, headers, names, outcomes, waits, windows, isCountedByModel, ...noText };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
