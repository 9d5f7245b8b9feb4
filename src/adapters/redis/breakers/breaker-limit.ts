// What is told to a shared circuit of its provider's limit. Many calls meet a limit at once, each a little later than
// the one before: they are told as one, and not at all when it is known already. It never fails: whoever is given the
// telling decides alone while Redis is away.

import { type Circuit, isLimitedUntil } from '../../../resilience/circuit-breaker.ts';

/** Limits that end so close to each other are one. */
const SAME_LIMIT_MS = 1000;

export class LimitTelling {
  readonly #tell: (until: number) => Promise<void>;
  #underWay: { readonly until: number; readonly told: Promise<void> } | undefined;

  constructor(tell: (until: number) => Promise<void>) {
    this.#tell = tell;
  }

  /** Resolves when this limit, or one as late, is told. */
  tell(until: number, known: Circuit): Promise<void> {
    const underWay = this.#underWay;
    if (underWay && until <= underWay.until + SAME_LIMIT_MS) return underWay.told;
    if (isLimitedUntil(known, until - SAME_LIMIT_MS)) return Promise.resolve();
    const told = this.#tell(until).finally(() => {
      if (this.#underWay?.told === told) this.#underWay = undefined;
    });
    this.#underWay = { until, told };
    return told;
  }
}
