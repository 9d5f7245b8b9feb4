// The port to an organisation's own last good answers, for requests that would rather have an old answer than none. Kept
// for a day in the durable store, only for requests that say so, of organisations that allow it.

import type { KeptAnswer } from './idempotency-store.ts';

export type StaleAnswer = KeptAnswer & { readonly keptAt: number };

export type StaleAnswers = {
  /** Takes the place of an older answer to the same request. */
  keep(organizationId: string, fingerprint: string, answer: KeptAnswer, now: number): Promise<void>;
  /** The last one, unless it is older than `since`. */
  find(
    organizationId: string,
    fingerprint: string,
    since: number,
  ): Promise<StaleAnswer | undefined>;
  /** Forgets what is older than a day; says how many. */
  forgetOld(now: number): Promise<number>;
};
