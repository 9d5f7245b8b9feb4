// The worker's permit of the provider's own limit, taken before a job is claimed. Interactive calls take from the same
// count, and it is the safety net behind the dispatcher: a message may have bypassed it, or raced. The accounts of a
// provider are asked in turn; an account with a learnt limit is skipped while another account has none.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermits } from '../../jobs/ports/job-permits.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { type AccountLimits, createAccountPacers } from './account-pacers.ts';
import type { PacerAnswer, PacerParts } from './pacer.ts';

export type WorkerPermitParts = PacerParts & {
  /** The limits of the accounts as they hold for this worker, by provider. */
  readonly accounts: ReadonlyMap<string, readonly AccountLimits[]>;
  /** The reservation of limits that count tokens. */
  readonly tokensOf: (message: JobMessage, limits: readonly Limit[]) => number;
  /** Whether the account may be called with the job's model; absent: all may. */
  readonly isUsable?: ((account: string, job: Job) => boolean) | undefined;
  readonly metrics: WorkerMetrics;
};

/** A job that has already waited until its due time waits longer in memory; other jobs go back to the queue sooner. */
const MAX_FIRST_WAIT_MS = 500;
const MAX_LATE_WAIT_MS = 1000;
const ALLOWED: PacerAnswer = { kind: 'allowed' };

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics, tokensOf, isUsable } = parts;
  const askAccounts = createAccountPacers(parts, parts.accounts);

  return {
    async take(job, message, { dueAt = dueTimeOf(job), closing: signal }) {
      const { provider = '' } = job;
      const patienceMs = dueAt === undefined ? MAX_FIRST_WAIT_MS : MAX_LATE_WAIT_MS;
      const asked = await askAccounts(
        provider,
        (limits) => ({ tokens: tokensOf(message, limits), dueAt, patienceMs, signal }),
        isUsable && ((account) => isUsable(account, job)),
      );
      const { account = '', answer = ALLOWED } = asked ?? {};
      metrics.checked(provider, answer.kind);
      if (answer.kind !== 'allowed') return answer;
      return { kind: 'allowed', permit: answer.permit && { ...answer.permit, account } };
    },
    giveBack: ({ ask }) => limiter.giveBack(ask),
    noteRequeued: (job) => metrics.requeued(job.provider ?? ''),
  };
}

/** The due time of a job that waited for a limit, here or at the dispatcher. */
function dueTimeOf({ waitCode, runAt }: Job): number | undefined {
  return waitCode === 'RATE_LIMITED' ? runAt : undefined;
}
