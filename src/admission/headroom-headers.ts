// Reads headroom from the headers of a successful answer: Anthropic's (resets as RFC 3339 timestamps) and OpenAI's, which
// many providers copy (resets as `6m0s` or plain seconds). Pure. Values that do not parse are left out, and so are sentinels
// such as -1.

import { durationOrInstant } from '../errors/mapping/waits/wait.ts';

export const HEADROOM_DIMENSIONS = ['requests', 'tokens', 'inputTokens', 'outputTokens'] as const;
export type HeadroomDimension = (typeof HEADROOM_DIMENSIONS)[number];

export type HeadroomGauge = {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds; undefined where the provider does not say. */
  readonly resetAt: number | undefined;
};

export type HeadroomGauges = Readonly<Partial<Record<HeadroomDimension, HeadroomGauge>>>;

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A cheap test with fixed names, because it runs on every answer. */
export function hasHeadroom(headers: AnswerHeaders): boolean {
  return (
    headers['anthropic-ratelimit-requests-remaining'] !== undefined ||
    headers['x-ratelimit-remaining-requests'] !== undefined ||
    headers['anthropic-ratelimit-tokens-remaining'] !== undefined ||
    headers['x-ratelimit-remaining-tokens'] !== undefined ||
    headers['anthropic-ratelimit-input-tokens-remaining'] !== undefined ||
    headers['anthropic-ratelimit-output-tokens-remaining'] !== undefined
  );
}

/** Undefined for an answer without headroom headers. */
export function readHeadroom(headers: AnswerHeaders, now: number): HeadroomGauges | undefined {
  let gauges: Partial<Record<HeadroomDimension, HeadroomGauge>> | undefined;
  for (const row of ROWS) {
    const remaining = headers[row.remaining];
    if (remaining === undefined || gauges?.[row.dimension]) continue;
    const gauge = readGauge(remaining, headers[row.limit], headers[row.reset], now);
    if (!gauge) continue;
    gauges ??= {};
    gauges[row.dimension] = gauge;
  }
  return gauges;
}

type Row = {
  readonly dimension: HeadroomDimension;
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
};

const ROWS: readonly Row[] = [
  anthropicRow('requests', 'requests'),
  anthropicRow('tokens', 'tokens'),
  anthropicRow('inputTokens', 'input-tokens'),
  anthropicRow('outputTokens', 'output-tokens'),
  openaiRow('requests'),
  openaiRow('tokens'),
];

function anthropicRow(dimension: HeadroomDimension, name: string): Row {
  const start = `anthropic-ratelimit-${name}`;
  return {
    dimension,
    limit: `${start}-limit`,
    remaining: `${start}-remaining`,
    reset: `${start}-reset`,
  };
}

function openaiRow(dimension: 'requests' | 'tokens'): Row {
  return {
    dimension,
    limit: `x-ratelimit-limit-${dimension}`,
    remaining: `x-ratelimit-remaining-${dimension}`,
    reset: `x-ratelimit-reset-${dimension}`,
  };
}

type Value = string | string[] | undefined;

function readGauge(
  remainingText: Value,
  limitText: Value,
  resetText: Value,
  now: number,
): HeadroomGauge | undefined {
  const remaining = wholeNumber(remainingText);
  const limit = wholeNumber(limitText);
  if (remaining === undefined || limit === undefined || limit === 0) return undefined;
  return { limit, remaining: Math.min(remaining, limit), resetAt: resetTime(resetText, now) };
}

function wholeNumber(value: Value): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function resetTime(value: Value, now: number): number | undefined {
  if (typeof value !== 'string' || value.length > MAX_TEXT) return undefined;
  const { resetAt, retryAfterMs } = durationOrInstant(value);
  return resetAt ?? (retryAfterMs === undefined ? undefined : now + retryAfterMs);
}

const MAX_TEXT = 64;
