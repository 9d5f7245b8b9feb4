// Waits that double, with jitter so that callers who failed together do not come back together. Pure: randomness is
// handed in.

export type BackoffRules = {
  readonly baseMs: number;
  /** Where doubling ends; jitter is around it. */
  readonly maxMs: number;
  /** The part of the wait by which it is longer or shorter: 0.25 is a quarter either way. */
  readonly jitter: number;
};

/** The wait before repeat number `repeats + 1`; `random` is from 0 up to 1. */
export function exponentialMs(rules: BackoffRules, repeats: number, random: number): number {
  const doubledMs = Math.min(rules.maxMs, rules.baseMs * 2 ** Math.min(repeats, MAX_DOUBLINGS));
  return Math.round(doubledMs * (1 + rules.jitter * (2 * random - 1)));
}

/** What somebody asked us to wait: never shorter, and a little longer for some. */
export function statedMs(ms: number, jitter: number, random: number): number {
  return Math.ceil(ms * (1 + jitter * random));
}

/** Beyond any wait that is waited; doubling for ever would end in Infinity. */
const MAX_DOUBLINGS = 40;
