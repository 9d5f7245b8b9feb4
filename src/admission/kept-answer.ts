// What of an answer is kept under an idempotency key, and how it is given again: an allow-list of headers. What
// belongs to one request alone (its ids, how much of a limit was left) is not repeated to another.

import { type KeptAnswer, MAX_KEPT_ANSWER_BYTES } from './idempotency-store.ts';

const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'cache-control',
  'location',
  'preference-applied',
  'x-spillway-served-by',
  'x-spillway-attempts',
  'x-spillway-cost-usd',
  'x-should-retry',
]);

/** Undefined when it is too large to be kept. */
export function toKeptAnswer(
  status: number,
  headers: Iterable<readonly [string, unknown]>,
  body: Buffer,
): KeptAnswer | undefined {
  if (body.length > MAX_KEPT_ANSWER_BYTES) return undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) {
    const lowerName = name.toLowerCase();
    if (KEPT_HEADERS.has(lowerName) && typeof value === 'string') kept[lowerName] = value;
  }
  return { status, headers: kept, body };
}

/** The headers with which it is given again; the request's own id and the like are the caller's to add. */
export function replayHeaders({ headers, body }: KeptAnswer): Record<string, string> {
  return {
    ...headers,
    'content-length': String(body.length),
    'idempotent-replayed': 'true',
  };
}
