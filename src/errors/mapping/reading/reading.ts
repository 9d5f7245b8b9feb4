// The provider-independent facts of a failure, before any interpretation.

import { type KnownName, knownName } from '../meaning/structured-names.ts';
import { type HeaderFields, NO_HEADERS, readHeaders } from './header-fields.ts';

export type Reading = {
  /** The innermost HTTP status: gateways on the way rewrite the outer one. */
  readonly status: number | undefined;
  readonly headers: HeaderFields;
  /** Types, codes and reasons from the providers' closed lists. */
  readonly names: readonly KnownName[];
  /** The model's stop reasons. */
  readonly outcomes: readonly string[];
  readonly text: string;
  readonly waits: readonly StatedWait[];
  /** The provider's names of the exhausted limits, in lower case. */
  readonly windows: readonly string[];
  /** The dimensions of the limit name a model. */
  readonly isCountedByModel: boolean;
  readonly field: string | undefined;
  /** The body opens like JSON and is cut or does not parse. */
  readonly isCut: boolean;
};

export type StatedWait = {
  readonly unit: 'milliseconds' | 'seconds' | 'instant';
  readonly value: string | number;
};

/** A reading under construction; `finish` returns it as a `Reading`. */
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
  /** The remaining reading allowance, which bounds the cost of hostile input. */
  charactersLeft = 8_192;
  valuesLeft = 300;
  /** Strings inside a parsed JSON text were counted with the text. */
  isCounted = false;
  #statusRank = -1;

  /**
   * Accepts a valid status. A failing status outranks a success around it, and the inner one outranks the
   * outer.
   */
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

  /** Names that are on no list are ignored. */
  addName(name: string): void {
    // The generic `type` of most bodies; it carries no information.
    if (name === 'error') return;
    const known = knownName(name);
    if (known !== undefined) this.names.push(known);
  }

  /** The first value of a header wins. */
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

// Greater than any depth.
const FAILURE_RANK = 1_000;

// A leading number is a status unless it counts something: `402 items found`.
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
