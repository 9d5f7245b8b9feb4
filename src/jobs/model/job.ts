// A job as the store keeps it. `fence` rises with every move, so that a move based on an outdated read fails. `run` counts
// the times a worker has claimed the job and names its attempts; it is never reset.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import type { Usage } from '../../kernel/usage.ts';
import { isWaiting, type JobState } from './job-state.ts';

/** `http`: submitted by a caller with a key; `queue`: published by another system of the operator. */
export type JobOrigin = 'http' | 'queue';

export type Job = {
  /** Spillway's id, globally unique. */
  readonly id: string;
  readonly organizationId: string;
  /** The owner's id for it, unique within the organisation. */
  readonly publicId: string;
  readonly origin: JobOrigin;
  readonly state: JobState;
  readonly fence: number;
  readonly run: number;
  /** Runs that count towards the retry limit: throttled and lost runs do not. */
  readonly attempts: number;
  /** Runs that ended with an expired lease. */
  readonly losses: number;
  /** 0 to 9, the highest first, among the jobs of one organisation. */
  readonly priority: number;
  /** The queue that holds its current pointer. */
  readonly queue: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly traceParent?: string | undefined;
  readonly callbackUrl?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The public code for why it waits; absent while it only waits for its turn. */
  readonly waitCode?: ErrorCode | undefined;
  /** Why it failed. Contains no provider text. */
  readonly error?: Verdict | undefined;
  /** Its due time: it does not run earlier. */
  readonly runAt: number;
  readonly publishedAt: number;
  readonly deadlineAt?: number | undefined;
  readonly leaseOwner?: string | undefined;
  readonly leaseUntil?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
};

/** The outcome of a successful run; stored once. */
export type JobResult = {
  readonly provider: string;
  readonly model: string;
  /** The answer's text. */
  readonly output: string;
  /** The provider's response body; a large body that is read from the store is a `WrittenJson`. */
  readonly response: unknown;
  readonly usage: Usage;
  readonly costNanos: number;
};

/** The lease owner of a waiting job that is handed over: its message is on a provider queue that foreign workers consume too. */
export const HANDED_OVER = 'provider queue';

/**
 * The message of a handed-over job may be with a foreign worker, so the job is not published again. `leaseUntil` is the
 * time at which the broker committed the message; it is unset until the commit is known.
 */
export function isHandedOver({ state, leaseOwner }: Pick<Job, 'state' | 'leaseOwner'>): boolean {
  return isWaiting(state) && leaseOwner === HANDED_OVER;
}

export function isOverdue({ deadlineAt }: Pick<Job, 'deadlineAt'>, now: number): boolean {
  return deadlineAt !== undefined && deadlineAt <= now;
}
