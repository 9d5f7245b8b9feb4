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
  readonly isHtml: boolean;
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
  isHtml = false;
  readonly #statuses: { readonly status: number; readonly depth: number }[] = [];
  readonly #texts: string[] = [];

  addStatus(value: unknown, depth: number): boolean {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status !== 'number' || !Number.isInteger(status)) return false;
    if (status < 200 || status > 599) return false;
    this.#statuses.push({ status, depth });
    return true;
  }

  addText(text: string): void {
    this.#texts.push(/\s\s|[^\S ]/.test(text) ? text.replaceAll(/\s+/g, ' ') : text);
  }

  finish(): Reading {
    const headers = readHeaders(this.headers);
    const text = this.#texts.join('\n');
    const amazonType = headers.get('x-amzn-errortype');
    return {
      status: this.#innermostStatus() ?? statusInText(text),
      headers,
      names: amazonType === undefined ? this.names : [...this.names, plainName(amazonType)],
      outcomes: this.outcomes,
      text,
      waits: this.waits,
      windows: this.windows,
      field: this.field,
      isHtml: this.isHtml,
    };
  }

  /** A failure's status wins over a success around it, whatever their order. */
  #innermostStatus(): number | undefined {
    let best: { readonly status: number; readonly rank: number } | undefined;
    for (const { status, depth } of this.#statuses) {
      const rank = status >= 400 ? depth + FAILURE_RANK : depth;
      if (best === undefined || rank > best.rank) best = { status, rank };
    }
    return best?.status;
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
