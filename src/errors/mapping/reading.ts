// What was read out of a failure, in one form for all providers. Nothing here has been understood yet.

import { type HeaderFields, readHeaders } from './header-fields.ts';
import { plainName } from './structured-names.ts';

export type Reading = {
  /** The innermost HTTP status: gateways on the way change the outer one. */
  readonly status: number | undefined;
  readonly headers: HeaderFields;
  /** Types, codes and reasons, as `plainName` writes them. */
  readonly names: readonly string[];
  /** Why the model stopped. */
  readonly outcomes: readonly string[];
  readonly text: string;
  readonly waits: readonly StatedWait[];
  /** The limits that were hit, as their owner calls them, in lower case. */
  readonly windows: readonly string[];
  readonly field: string | undefined;
};

export type StatedWait = {
  readonly unit: 'milliseconds' | 'seconds' | 'moment';
  readonly value: string | number;
};

export class ReadingDraft {
  readonly headers: unknown[] = [];
  readonly names: string[] = [];
  readonly outcomes: string[] = [];
  readonly waits: StatedWait[] = [];
  readonly windows: string[] = [];
  field: string | undefined;
  #text = '';
  #status: number | undefined;
  #statusRank = -1;

  /** Takes what is a status; a failure's wins over a success around it, and the innermost over the outer. */
  addStatus(value: unknown, depth: number): boolean {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status !== 'number' || !Number.isInteger(status)) return false;
    if (status < 200 || status > 599) return false;
    const rank = status >= 400 ? depth + FAILURE_RANK : depth;
    if (rank <= this.#statusRank) return true;
    this.#status = status;
    this.#statusRank = rank;
    return true;
  }

  addText(text: string): void {
    this.#text = this.#text === '' ? text : `${this.#text}\n${text}`;
  }

  finish(): Reading {
    const headers = readHeaders(this.headers);
    const amazonType = headers.get('x-amzn-errortype');
    if (amazonType !== undefined) this.names.push(plainName(amazonType));
    return {
      status: this.#status ?? statusInText(this.#text),
      headers,
      names: this.names,
      outcomes: this.outcomes,
      text: this.#text,
      waits: this.waits,
      windows: this.windows,
      field: this.field,
    };
  }
}

// More than any depth.
const FAILURE_RANK = 1_000;

// A number in front is a status unless it counts something: `402 items found`.
const STATUS_PATTERNS = [
  /^\W{0,3}([45]\d\d)(?=$|[^\w ]| [^a-z]| status)/,
  /\b(?:status(?: code)?|(?:error |response )?code|http(?:\/[\d.]{1,4})?|api error)[ :=(]{1,3}([45]\d\d)\b/i,
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
