// A job as the store keeps it. Two numbers keep it honest: `fence` rises with every move, so that whoever acts
// on an older sight of the job fails; `run` counts the times a worker took it and names its attempts for ever.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { JobState } from './job-state.ts';

/** `http`: handed in by a caller with a key; `queue`: published by another system of the operator's. */
export type JobOrigin = 'http' | 'queue';

export type Job = {
  /** Ours, and unique everywhere. */
  readonly id: string;
  readonly organizationId: string;
  /** What its owner calls it: unique within the organisation. */
  readonly publicId: string;
  readonly origin: JobOrigin;
  readonly state: JobState;
  readonly fence: number;
  readonly run: number;
  /** Runs that count against the retries: throttled and lost ones do not. */
  readonly attempts: number;
  /** Runs whose worker was never heard of again. */
  readonly losses: number;
  /** 0 to 9, the highest first, among the jobs of one organisation. */
  readonly priority: number;
  /** The queue its current message is in. */
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
  /** Why it waits, in public words; absent when it only waits for its turn. */
  readonly waitCode?: ErrorCode | undefined;
  /** Why it failed. Carries nothing a provider said. */
  readonly error?: Verdict | undefined;
  /** Not before this moment. */
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

/** What a successful run yields; stored once. */
export type JobResult = {
  readonly provider: string;
  readonly model: string;
  /** The answer's text. */
  readonly output: string;
  /** The provider's own body. */
  readonly response: unknown;
  readonly usage: Usage;
  readonly costNanos: number;
};

/** Its deadline has passed, and nobody wants it any more. */
export function isOverdue({ deadlineAt }: Pick<Job, 'deadlineAt'>, now: number): boolean {
  return deadlineAt !== undefined && deadlineAt <= now;
}
