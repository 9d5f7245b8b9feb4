// The port to rate limits: may this attempt go now, and if not, when? One decision covers every limit of the attempt, the
// organisation's and the provider account's alike, and takes from all of them or from none. Windows are exact: no span of a
// window's length admits more than the limit, and an idle limit admits all of it at once. Time is the clock of the store
// that counts (this process, or Redis), never the caller's.

/** The owner of a limit. */
export type LimitTier = 'organization' | 'key' | 'provider' | 'dispatcher';

/** The unit that a limit counts. */
export type LimitKind =
  /** Each admission counts one for the length of the window. */
  | 'requests'
  /** Each admission counts its tokens for the length of the window: the reservation first, then the tokens used. */
  | 'tokens'
  /** Like `tokens`, over a day, in buckets of five minutes; the oldest bucket counts whole. */
  | 'tokens_per_day'
  /** Each admission counts one until it is settled, given back, or expires. */
  | 'concurrent';

/** One limit. It is built once from a key, an organisation or an account and never changed: its identity is the object. */
export type Limit = {
  readonly tier: LimitTier;
  /** An organisation's id, a key's id, `provider` or `provider:account`. */
  readonly subject: string;
  readonly kind: LimitKind;
  readonly max: number;
  /** How long an admission counts, guard included; unused for `concurrent`. */
  readonly windowMs: number;
};

export type PermitAsk = {
  /** Globally unique; a permit is settled or given back by it. */
  readonly id: string;
  readonly limits: readonly Limit[];
  /** Reserved from limits that count tokens. */
  readonly tokens: number;
  /** When a slot or an unsettled reservation of a process that died expires. */
  readonly expiresMs: number;
  /** A job: it pauses while the shared counts are unavailable instead of using the safe share. */
  readonly isBackground?: boolean;
  /** For a job that waits when it is refused; absent for an interactive call, which takes any free slot. */
  readonly queueing?: Queueing | undefined;
  /** Written by the limiter, which finds it here when the ask is settled or given back. */
  taken?: TakenPermit | undefined;
};

/** How a job waits for a limit. */
export type Queueing = {
  /**
   * Whether the job has waited until its due time. A job that has not waited queues behind all outstanding due times.
   */
  readonly hasWaited: boolean;
  /** How long jobs that wait in the asking process are ahead of it. */
  readonly behindMs: number;
  /** A refusal with a longer wait than this gives the job a due time. */
  readonly patienceMs: number;
};

/** The admission behind a permit. Copies of an ask share it, so that it ends once. */
export type TakenPermit = {
  readonly takenAt: number;
  /** When the admission is dropped if it is neither settled nor given back. */
  readonly expiresAt: number;
  /** The counters that count this admission; other counters ignore it. */
  readonly owner: object;
  readonly limits: readonly Limit[];
  isEnded: boolean;
};

/** The state of one limit after a decision. */
export type LimitStanding = {
  readonly limit: Limit;
  readonly remaining: number;
  /** When the next part of the limit is free again, epoch milliseconds; the current time if nothing is taken. */
  readonly resetAt: number;
};

export type PermitDecision =
  | { readonly isAllowed: true; readonly standings: readonly LimitStanding[] }
  | {
      readonly isAllowed: false;
      /** The limit with the longest wait; absent while background work is paused. */
      readonly binding: LimitStanding | undefined;
      readonly standings: readonly LimitStanding[];
      /** When this ask fits if no other takes the slot first; undefined when it exceeds the whole limit. */
      readonly retryAfterMs: number | undefined;
      /** The due time given to a job, in milliseconds from now. */
      readonly dueInMs?: number | undefined;
    };

/** The port to rate limits, of one process or of all. */
export type RateLimiter = {
  /** Calls back once, synchronously where the counts are in this process. It never throws and never fails. */
  take(ask: PermitAsk, onDecision: (decision: PermitDecision) => void): void;
  /** The call was not made: undoes `take`. The ask is the one that was taken, or a copy. */
  giveBack(ask: PermitAsk): void;
  /** The call has ended: reservations become the tokens used, slots are free. */
  settle(ask: PermitAsk, usedTokens: number): void;
  /** The standings of these limits, without taking from them. */
  look(limits: readonly Limit[]): Promise<readonly LimitStanding[]>;
  close(): Promise<void>;
};
