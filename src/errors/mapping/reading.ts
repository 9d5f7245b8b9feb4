// What was read out of a failure, in one form for all providers. Nothing here has been understood yet.

import { type HeaderFields, NO_HEADERS, readHeaders } from './header-fields.ts';
import { type KnownName, knownName } from './structured-names.ts';

export type Reading = {
  /** The innermost HTTP status: gateways on the way change the outer one. */
  readonly status: number | undefined;
  readonly headers: HeaderFields;
  /** Types, codes and reasons that somebody's closed list has. */
  readonly names: readonly KnownName[];
  /** Why the model stopped. */
  readonly outcomes: readonly string[];
  readonly text: string;
  readonly waits: readonly StatedWait[];
  /** The limits that were hit, as their owner calls them, in lower case. */
  readonly windows: readonly string[];
  /** What the limit is counted for names a model. */
  readonly isCountedByModel: boolean;
  readonly field: string | undefined;
  /** The body opened as JSON does and had no end, or none that fits. */
  readonly isCut: boolean;
};

export type StatedWait = {
  readonly unit: 'milliseconds' | 'seconds' | 'moment';
  readonly value: string | number;
};

/** A reading while it is made; `finish` hands it out as what it has become. */
export class ReadingDraft implements Reading {
  status: number | undefined;
  headers: HeaderFields = NO_HEADERS;
  readonly names: KnownName[] = [];
  outcomes: readonly string[] = NONE;
  text = '';
  waits: readonly StatedWait[] = NONE;
  windows: readonly string[] = NONE;
  isCountedByModel = false;
  field: string | undefined;
  isCut = false;
  /** What may still be read: the bound that makes hostile input harmless. */
  charactersLeft = 8_192;
  valuesLeft = 300;
  /** Strings inside a JSON text were paid for with the text. */
  isPaid = false;
  #statusRank = -1;

  /** Takes what is a status; a failure's wins over a success around it, and the innermost over the outer. */
  addStatus(value: unknown, depth: number): boolean {
    const status = typeof value === 'string' ? threeDigits(value) : value;
    if (typeof status !== 'number' || !Number.isInteger(status)) return false;
    if (status < 200 || status > 599) return false;
    const rank = status >= 400 ? depth + FAILURE_RANK : depth;
    if (rank <= this.#statusRank) return true;
    this.status = status;
    this.#statusRank = rank;
    return true;
  }

  /** A name nobody has on a list says nothing. */
  addName(name: string): void {
    // The type of every other body, and it says nothing.
    if (name === 'error') return;
    const known = knownName(name);
    if (known !== undefined) this.names.push(known);
  }

  /** Headers that are met first win. */
  addHeaders(source: object): void {
    this.headers = readHeaders(this.headers, source);
  }

  addText(text: string): void {
    this.text = this.text === '' ? text : `${this.text}\n${text}`;
  }

  finish(): Reading {
    if (this.headers.size > 0) {
      const amazonType = this.headers.get('x-amzn-errortype');
      if (amazonType !== undefined) this.addName(amazonType);
    }
    this.status ??= statusInText(this.text);
    return this;
  }
}

const NONE: readonly never[] = [];

function threeDigits(value: string): number | undefined {
  return value.length === 3 && /^\d{3}$/.test(value) ? Number(value) : undefined;
}

// More than any depth.
const FAILURE_RANK = 1_000;

// A number in front is a status unless it counts something: `402 items found`.
const STATUS_PATTERNS = [
  /^\W{0,3}([45]\d\d)(?=$|[^\w ]| [^a-z]| status)/,
  /\b(?:status[ _]?(?:code)?|(?:error |response )?code|http(?:\/[\d.]{1,4})?|api error)[ :=(]{1,3}([45]\d\d)\b/i,
  /\b(?:got|returned|received)(?: an?)? ([45]\d\d)(?=$|[.,;:)]| (?:from|response|error|status))/i,
];

function statusInText(text: string): number | undefined {
  const opening = text.slice(0, 400);
  for (const pattern of STATUS_PATTERNS) {
    const match = pattern.exec(opening);
    if (match !== null) return Number(match[1]);
  }
  return undefined;
}
