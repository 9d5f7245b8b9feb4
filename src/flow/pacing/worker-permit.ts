// The worker's permit of the provider's own limit, taken before a job is claimed. Interactive calls take from the same
// count, and it is the safety net behind the dispatcher: a message may have bypassed it, or raced. The accounts of a
// provider are asked in turn; the last one gives due times. A permit that is too old when its call could go is renewed
// by the same pacer, so that jobs that were held up together still go one by one.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermit, JobPermits, PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { JobRun } from '../../jobs/ports/job-runner.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { HeldPermit } from '../call/call-order.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { Pacer, type PacerAnswer, type PacerRequest } from './pacer.ts';

/** The limits of one account, as they hold for this worker. */
export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

export type WorkerPermit = HeldPermit & { readonly id: string; readonly account: string };

export type WorkerPermitParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly accounts: ReadonlyMap<string, readonly AccountLimits[]>;
  /** The reservation of limits that count tokens. */
  readonly tokensOf: (message: JobMessage, limits: readonly Limit[]) => number;
  readonly metrics: WorkerMetrics;
  readonly clock: Clock;
  readonly newId: NewId;
};

type Account = AccountLimits & { readonly pacer: Pacer };

/** A job that has waited until its due time waits a little longer; the others are better off on the queue. */
const MAX_FIRST_WAIT_MS = 500;
const MAX_LATE_WAIT_MS = 1000;
/** A job that has begun waits longer before it goes back to its queue. */
const MAX_RENEWAL_WAIT_MS = 5000;

/** The permit of a run, if it has one. */
export function permitOf(run: Pick<JobRun, 'permit'>): WorkerPermit | undefined {
  return isWorkerPermit(run.permit) ? run.permit : undefined;
}

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics, clock, newId, tokensOf } = parts;
  const withPacer = (each: AccountLimits) => ({ ...each, pacer: new Pacer(parts, each.limits) });
  const providers = new Map([...parts.accounts].map(([name, own]) => [name, own.map(withPacer)]));

  async function take(
    { account, limits, pacer }: Account,
    message: JobMessage,
    wait: Pick<PacerRequest, 'dueAt' | 'signal'>,
    how: 'acquire' | 'tryNow',
  ): Promise<PermitAnswer> {
    const id = newId('att');
    const patienceMs = wait.dueAt === undefined ? MAX_FIRST_WAIT_MS : MAX_LATE_WAIT_MS;
    const wanted = { id, tokens: tokensOf(message, limits), patienceMs };
    const answer = await pacer[how]({ ...wanted, ...wait });
    if (answer.kind === 'never') return { kind: 'allowed' };
    if (answer.kind !== 'allowed') return answer;
    const { isPaced, ...held } = answer.permit;
    const dueAt = clock.now();
    const renew = (signal: AbortSignal): Promise<PacerAnswer> => {
      limiter.giveBack(held.ask);
      const renewal = { dueAt, patienceMs: MAX_RENEWAL_WAIT_MS, signal, isRenewal: true };
      return pacer.acquire({ ...wanted, id: `${id}+`, ...renewal });
    };
    const permit: WorkerPermit = { id, account, ...held, ...(isPaced ? { renew } : {}) };
    return { kind: 'allowed', permit };
  }

  async function takeOfAny(
    accounts: readonly Account[],
    message: JobMessage,
    wait: Pick<PacerRequest, 'dueAt' | 'signal'>,
  ): Promise<PermitAnswer> {
    const last = accounts.at(-1);
    if (!last) return { kind: 'allowed' };
    for (const account of accounts.slice(0, -1)) {
      const answer = await take(account, message, wait, 'tryNow');
      if (answer.kind === 'allowed') return answer;
    }
    return take(last, message, wait, 'acquire');
  }

  return {
    async take(job, message, { dueAt = dueTimeOf(job), closing }) {
      const provider = job.provider ?? '';
      const wait = { dueAt, signal: closing };
      const answer = await takeOfAny(providers.get(provider) ?? [], message, wait);
      metrics.checked(provider, answer.kind);
      return answer;
    },
    giveBack(permit) {
      if (isWorkerPermit(permit)) limiter.giveBack(permit.ask);
    },
    noteRequeued: (job) => metrics.requeued(job.provider ?? ''),
  };
}

/** Of a job that waited for a limit, here or at the dispatcher. */
function dueTimeOf({ waitCode, runAt }: Job): number | undefined {
  return waitCode === 'RATE_LIMITED' ? runAt : undefined;
}

function isWorkerPermit(permit: JobPermit | undefined): permit is WorkerPermit {
  return permit !== undefined && 'ask' in permit && 'account' in permit;
}
