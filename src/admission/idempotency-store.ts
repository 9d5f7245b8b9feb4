// The port to the state of requests with an `Idempotency-Key`: per organisation, for a day, in the durable store. Of
// several identical requests one claims the key and runs; the others get CONFLICT while it runs and its response
// afterwards. States: (none) → running → finished | unrepeatable; running → (none) when the claim is freed or its
// deadline has passed.

import type { StoredAnswer } from './stored-answer.ts';

export type IdempotencyClaim = {
  readonly organizationId: string;
  readonly key: string;
  /** Of method, path and body; the same key with a different fingerprint is the caller's mistake. */
  readonly fingerprint: string;
  /** Identifies the claiming request; only it may finish or free the claim. */
  readonly requestId: string;
  /** Until then the claim counts as running; epoch milliseconds. */
  readonly deadlineAt: number;
};

export type ClaimOutcome =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'finished'; readonly answer: StoredAnswer }
  /** Finished, but the response was too large or cut off: it is neither replayed nor run again. */
  | { readonly kind: 'unrepeatable' }
  | { readonly kind: 'running'; readonly until: number }
  | { readonly kind: 'other_payload' };

/** How long a key and its answer are stored. */
export const IDEMPOTENCY_RETENTION_MS = 24 * 3_600_000;

/** Claims of idempotency keys: of several identical requests one runs, the others get its answer. */
export type IdempotencyStore = {
  claim(claim: IdempotencyClaim, now: number): Promise<ClaimOutcome>;
  /** Resolves when the response is durable; without one the key becomes unrepeatable. No effect on a lost claim. */
  finish(claim: IdempotencyClaim, answer: StoredAnswer | undefined, now: number): Promise<void>;
  /** Removes the claim: the request did not run, or may run again. */
  free(claim: IdempotencyClaim): Promise<void>;
  /** Deletes entries older than a day; resolves to their number. */
  deleteExpired(now: number): Promise<number>;
};
