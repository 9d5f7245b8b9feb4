// Announces a provider's limit to the shared circuit. Many calls meet a limit at once, each with a slightly later end: they
// share one announcement, and none is made for a limit that is already known.

import { type Circuit, isLimitedUntil } from '../../../resilience/circuit-breaker.ts';

/** Two limits with ends this close are the same limit. */
const SAME_LIMIT_MS = 1000;

export class LimitAnnouncer {
  readonly #announce: (until: number) => Promise<void>;
  #current: { readonly until: number; readonly done: Promise<void> } | undefined;

  /** `announce` never rejects. */
  constructor(announce: (until: number) => Promise<void>) {
    this.#announce = announce;
  }

  /** Resolves when this limit, or an equally late one, is announced. */
  announce(until: number, known: Circuit): Promise<void> {
    const current = this.#current;
    if (current && until <= current.until + SAME_LIMIT_MS) return current.done;
    if (isLimitedUntil(known, until - SAME_LIMIT_MS)) return Promise.resolve();
    const done = this.#announce(until).finally(() => {
      if (this.#current?.done === done) this.#current = undefined;
    });
    this.#current = { until, done };
    return done;
  }
}
