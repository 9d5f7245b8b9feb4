// An exact limit on requests and tokens over a sliding window, with one record per admitted request. A
// refused request counts for nothing, as at the providers. Tokens are the input plus the output, which the
// simulator knows in advance.

import type { RateLimit } from './scenario.ts';

export type LimitDimension = 'requests' | 'tokens';

export type Headroom = {
  readonly limit: number;
  readonly remaining: number;
  /** When the window is empty again. */
  readonly resetAt: number;
};

export type LimitState = {
  readonly requests: Headroom | undefined;
  readonly tokens: Headroom | undefined;
};

export type Admission =
  | { readonly isAdmitted: true; readonly state: LimitState }
  | ({ readonly isAdmitted: false; readonly state: LimitState } & Excess);

export type Excess = {
  readonly dimension: LimitDimension;
  readonly limit: number;
  readonly used: number;
  readonly requested: number;
  /** When this request would be admitted. */
  readonly retryAt: number;
};

type Admitted = { readonly at: number; readonly tokens: number };

export class SlidingWindow {
  readonly #limit: RateLimit;
  #admitted: Admitted[] = [];
  /** Index of the first unexpired record. */
  #start = 0;
  #tokens = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  admit(now: number, tokens: number): Admission {
    this.#forget(now);
    const { requestsPerMinute, tokensPerMinute } = this.#limit;
    const excess = later(
      this.#excess(now, 'requests', requestsPerMinute, this.#requests, 1),
      this.#excess(now, 'tokens', tokensPerMinute, this.#tokens, tokens),
    );
    if (excess) return { isAdmitted: false, state: this.#state(now), ...excess };
    this.#admitted.push({ at: now, tokens });
    this.#tokens += tokens;
    return { isAdmitted: true, state: this.#state(now) };
  }

  get #requests(): number {
    return this.#admitted.length - this.#start;
  }

  #forget(now: number): void {
    const windowStart = now - this.#limit.windowMs;
    while ((this.#admitted[this.#start]?.at ?? Number.POSITIVE_INFINITY) <= windowStart) {
      this.#tokens -= this.#admitted[this.#start]?.tokens ?? 0;
      this.#start += 1;
    }
    if (this.#start < 1_024 || this.#start * 2 < this.#admitted.length) return;
    this.#admitted = this.#admitted.slice(this.#start);
    this.#start = 0;
  }

  #excess(
    now: number,
    dimension: LimitDimension,
    limit: number | undefined,
    used: number,
    requested: number,
  ): Excess | undefined {
    if (limit === undefined || used + requested <= limit) return undefined;
    const retryAt = this.#admittedAt(now, dimension, used + requested - limit);
    return { dimension, limit, used, requested, retryAt };
  }

  /** When enough of the oldest requests have left the window. */
  #admittedAt(now: number, dimension: LimitDimension, excess: number): number {
    let freed = 0;
    for (let index = this.#start; index < this.#admitted.length; index += 1) {
      const { at, tokens } = this.#admitted[index] ?? { at: now, tokens: 0 };
      freed += dimension === 'requests' ? 1 : tokens;
      if (freed >= excess) return at + this.#limit.windowMs;
    }
    return now + this.#limit.windowMs;
  }

  #state(now: number): LimitState {
    const { requestsPerMinute, tokensPerMinute, windowMs } = this.#limit;
    const last = this.#requests > 0 ? this.#admitted.at(-1) : undefined;
    const resetAt = last ? last.at + windowMs : now;
    return {
      requests: headroom(requestsPerMinute, this.#requests, resetAt),
      tokens: headroom(tokensPerMinute, this.#tokens, resetAt),
    };
  }
}

/** If both limits are exceeded, the later one is reported. */
function later(one: Excess | undefined, other: Excess | undefined): Excess | undefined {
  if (!one || !other) return one ?? other;
  return one.retryAt >= other.retryAt ? one : other;
}

function headroom(limit: number | undefined, used: number, resetAt: number): Headroom | undefined {
  if (limit === undefined) return undefined;
  return { limit, remaining: Math.max(0, limit - used), resetAt };
}
