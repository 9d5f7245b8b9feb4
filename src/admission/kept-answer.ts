// Converts a response for storage under an idempotency key, and back for a replay. Headers pass an allow-list: values
// of the first request alone (ids, remaining limits) are not replayed to another.

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
  'x-spillway-code',
]);

/** Undefined if the body is too large. */
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

/** The headers of a replay; the handler adds the headers of the current request, such as its id. */
export function replayHeaders({ headers, body }: KeptAnswer): Record<string, string> {
  return {
    ...headers,
    'content-length': String(body.length),
    'idempotent-replayed': 'true',
  };
}
