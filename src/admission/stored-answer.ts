// A response in storage, for the replay under an idempotency key and for stale answers: its bound, its conversion and its
// replay. Headers pass an allow-list: values of the first request alone (ids, remaining limits) are not replayed to another.

/** A stored response: its bytes and an allow-list of its headers. */
export type StoredAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Larger responses are not stored. */
export const MAX_STORED_ANSWER_BYTES = 2 ** 20;

const STORED_HEADERS: ReadonlySet<string> = new Set([
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
export function toStoredAnswer(
  status: number,
  headers: Iterable<readonly [string, unknown]>,
  body: Buffer,
): StoredAnswer | undefined {
  if (body.length > MAX_STORED_ANSWER_BYTES) return undefined;
  const stored: Record<string, string> = {};
  for (const [name, value] of headers) {
    const lowerName = name.toLowerCase();
    if (STORED_HEADERS.has(lowerName) && typeof value === 'string') stored[lowerName] = value;
  }
  return { status, headers: stored, body };
}

/** The headers of a replay; the handler adds the headers of the current request, such as its id. */
export function replayHeaders({ headers, body }: StoredAnswer): Record<string, string> {
  return {
    ...headers,
    'content-length': String(body.length),
    'idempotent-replayed': 'true',
  };
}
