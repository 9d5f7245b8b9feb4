// The port to what is remembered of requests that carried an `Idempotency-Key`: per organisation, for a day, in the
// durable store. One request of many identical ones claims the key and is made; the others are told to wait, or are
// given its answer again. States: (none) → running → finished | unrepeatable; running → (none) when it is freed or its
// deadline has passed.

export type IdempotencyClaim = {
  readonly organizationId: string;
  readonly key: string;
  /** Of method, path and body: the same key with another one is a mistake of the caller's. */
  readonly fingerprint: string;
  /** Names the one who claims; only it may finish or free. */
  readonly requestId: string;
  /** Until when others are told that it is running, epoch milliseconds. */
  readonly deadlineAt: number;
};

/** What was answered, as bytes and an allow-list of headers. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type ClaimOutcome =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'finished'; readonly answer: KeptAnswer }
  /** Finished, but too large or cut: it can be neither repeated nor given again. */
  | { readonly kind: 'unrepeatable' }
  | { readonly kind: 'running'; readonly until: number }
  | { readonly kind: 'other_payload' };

/** Larger answers are not kept. */
export const MAX_KEPT_ANSWER_BYTES = 2 ** 20;
export const KEPT_FOR_MS = 24 * 3_600_000;

export type IdempotencyStore = {
  claim(claim: IdempotencyClaim, now: number): Promise<ClaimOutcome>;
  /** Resolves when the answer is durable; without one the key is used up. Nothing happens when the claim was lost. */
  finish(claim: IdempotencyClaim, answer: KeptAnswer | undefined, now: number): Promise<void>;
  /** The request was not made, or may be made again. */
  free(claim: IdempotencyClaim): Promise<void>;
  /** Forgets what is older than a day; says how many. */
  forgetOld(now: number): Promise<number>;
};
