// The port to rate limits: may this go on now, and if not, when? One decision asks every limit that concerns a call,
// the organisation's and the provider account's alike, and takes from all of them or from none. A window is exact: no
// span of its length ever admits more than the limit, and an idle limit admits all of it at once. Time is that of
// whoever keeps the counts (this process, or Redis), never the caller's.

import type { TakenPermit } from '../resilience/limit-book.ts';

export type LimitTier = 'organization' | 'key' | 'provider' | 'dispatcher';

export type LimitKind =
  /** Each admission counts one for the length of the window. */
  | 'requests'
  /** Each admission counts its tokens for the length of the window: reserved first, then as really used. */
  | 'tokens'
  /** As `tokens`, over a day, in buckets of five minutes of which the oldest counts whole. */
  | 'tokens_per_day'
  /** Each admission counts one until it is settled, given back, or forgotten by its expiry. */
  | 'concurrent';

/** One limit. Made once from a key, an organisation or an account and then only read: it is its own identity. */
export type Limit = {
  readonly tier: LimitTier;
  /** Whose it is: an organisation's id, a key's id, `provider` or `provider:account`. */
  readonly subject: string;
  readonly kind: LimitKind;
  readonly max: number;
  /** How long an admission counts, guard included; of no meaning for `concurrent`. */
  readonly windowMs: number;
};

export type PermitAsk = {
  /** Names what is taken, so that it can be settled or given back; unique for ever. */
  readonly id: string;
  readonly limits: readonly Limit[];
  /** Reserved from limits that count tokens. */
  readonly tokens: number;
  /** How long a slot or an unsettled reservation outlives a process that died. */
  readonly expiresMs: number;
  /** Work that can wait: it pauses while the shared counts are away, rather than live on a safe share. */
  readonly isBackground?: boolean;
  /** A refused ask is given a moment of its own to come back at, one interval after the one before it. */
  readonly wantsComeback?: boolean;
  /** What was taken for it: written by the limiter alone, which finds it here when the ask is handed back. */
  taken?: TakenPermit | undefined;
};

/** What is left of one limit, after this decision. */
export type LimitStanding = {
  readonly limit: Limit;
  readonly remaining: number;
  /** When the next part of it is free again, epoch milliseconds; now where nothing is taken. */
  readonly resetAt: number;
};

export type PermitDecision =
  | { readonly isAllowed: true; readonly standings: readonly LimitStanding[] }
  | {
      readonly isAllowed: false;
      /** The limit that makes it wait longest; absent while background work is paused. */
      readonly binding: LimitStanding | undefined;
      readonly standings: readonly LimitStanding[];
      /** When this very ask fits, if nobody else takes it; undefined when it never can. */
      readonly retryAfterMs: number | undefined;
      /** For `wantsComeback`: the moment given to this ask, in milliseconds from now. */
      readonly comeBackMs?: number | undefined;
    };

export type RateLimiter = {
  /** Calls back once: at once where the counts are in this process. It never throws and never fails. */
  take(ask: PermitAsk, onDecision: (decision: PermitDecision) => void): void;
  /** The call was not made after all: as if it had never been asked for. The ask is the one that was taken, or a copy. */
  giveBack(ask: PermitAsk): void;
  /** The call has ended: reservations become what was used, slots are free. */
  settle(ask: PermitAsk, usedTokens: number): void;
  /** How these limits stand, taking nothing. */
  look(limits: readonly Limit[]): Promise<readonly LimitStanding[]>;
  close(): Promise<void>;
};
