// The port to the last successful responses of an organisation, for requests that accept a stale response when no
// provider can serve them. Responses are stored for a day, and only for requests that accept a stale response and
// organisations that allow it.

import type { StoredAnswer } from './stored-answer.ts';

/** How long an answer is stored, and the greatest age of a stale answer. */
export const STALE_RETENTION_MS = 24 * 3_600_000;

export type StaleAnswer = StoredAnswer & { readonly storedAt: number };

export type StaleAnswers = {
  /** Replaces an older response to the same request. */
  keep(
    organizationId: string,
    fingerprint: string,
    answer: StoredAnswer,
    now: number,
  ): Promise<void>;
  /** The last response, unless it is older than `since`. */
  find(
    organizationId: string,
    fingerprint: string,
    since: number,
  ): Promise<StaleAnswer | undefined>;
  /** Deletes responses older than a day; resolves to their number. */
  deleteExpired(now: number): Promise<number>;
};
