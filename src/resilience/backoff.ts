// Exponential backoff with jitter, so that calls that failed together do not retry together. Pure: the caller passes the
// random number.

export type BackoffRules = {
  readonly baseMs: number;
  /** The longest delay before jitter. */
  readonly maxMs: number;
  /** The fraction by which a delay varies: 0.25 is a quarter either way. */
  readonly jitter: number;
};

/** The delay before retry number `repeats + 1`; `random` is in [0, 1). */
export function exponentialMs(rules: BackoffRules, repeats: number, random: number): number {
  const doubledMs = Math.min(rules.maxMs, rules.baseMs * 2 ** Math.min(repeats, MAX_DOUBLINGS));
  return Math.round(doubledMs * (1 + rules.jitter * (2 * random - 1)));
}

/** A delay that the provider stated: never shortened, and lengthened by jitter. */
export function statedMs(ms: number, jitter: number, random: number): number {
  return Math.ceil(ms * (1 + jitter * random));
}

/** Beyond any delay in use; without a bound doubling would overflow to Infinity. */
const MAX_DOUBLINGS = 40;
