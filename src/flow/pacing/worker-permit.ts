// The worker's permit: what a job's run takes of the provider's own limit before the job is claimed. It is the same
// count that interactive calls take from, and the last thing between a queue and the provider: a message may have passed
// by the dispatcher, or raced. A provider with several accounts is asked for each of them, in turn, until one has room.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermit, JobPermits, PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { JobRun } from '../../jobs/ports/job-runner.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Limit, PermitAsk, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { createDistances } from './keep-distance.ts';
import { type AskInLine, createPermitLine, intervalMs, type LineQuestion } from './permit-line.ts';

/** One account's limits, as they hold for this worker. */
export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

export type WorkerPermit = {
  readonly id: string;
  readonly account: string;
  readonly ask: PermitAsk;
  /** `clock.monotonic()` of when it was asked for: it may count from then on. */
  readonly askedAtMs: number;
  /** Of a job that had to wait for the limit: its like go one by one, whatever holds them up on their way. */
  readonly isPaced: boolean;
};

export type WorkerPermitParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly accountsOf: (provider: string) => readonly AccountLimits[];
  /** What is reserved of limits that count tokens. */
  readonly tokensOf: (message: JobMessage, limits: readonly Limit[]) => number;
  readonly metrics: WorkerMetrics;
  readonly clock: Clock;
  readonly newId: NewId;
};

/** The permit that a run was given, if one was. */
export function permitOf(run: Pick<JobRun, 'permit'>): WorkerPermit | undefined {
  return isWorkerPermit(run.permit) ? run.permit : undefined;
}

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics } = parts;
  const asking = { ...parts, askInLine: createPermitLine(parts) };
  const distance = createDistances(parts.clock);
  return {
    async take(job, message, { backAt, closing }) {
      const provider = job.provider ?? '';
      const as = backAt !== undefined || isReturning(job) ? 'returning' : 'newcomer';
      const dueAt = backAt ?? (hasWaited(job) ? job.runAt : undefined);
      const answer = await takeOfAny(asking, { job, message, as, dueAt, signal: closing });
      metrics.checked(provider, answer.kind);
      return answer;
    },
    async keepDistance(job, permit) {
      if (!isWorkerPermit(permit) || !permit.isPaced) return;
      const [limit] = permit.ask.limits;
      if (!limit) return;
      const keepDistance = distance(`${job.provider}/${permit.account}`);
      await keepDistance(permit.askedAtMs, intervalMs(limit));
    },
    giveBack(permit) {
      if (isWorkerPermit(permit)) limiter.giveBack(permit.ask);
    },
    noteRequeued: (job) => metrics.requeued(job.provider ?? ''),
  };
}

/** It was put off before, so that its moment has come. */
function isReturning(job: Job): boolean {
  return job.state === 'delayed' && hasWaited(job);
}

/** Here or at the dispatcher; then the moments of such jobs are as far apart as the limit wants them. */
function hasWaited({ waitCode }: Job): boolean {
  return waitCode === 'RATE_LIMITED';
}

type Asking = WorkerPermitParts & { readonly askInLine: AskInLine };

type Wanted = {
  readonly job: Job;
  readonly message: JobMessage;
  readonly as: LineQuestion['as'];
  readonly dueAt: number | undefined;
  readonly signal: AbortSignal | undefined;
};

async function takeOfAny(parts: Asking, wanted: Wanted): Promise<PermitAnswer> {
  const accounts = parts.accountsOf(wanted.job.provider ?? '');
  const last = accounts.at(-1);
  if (!last) return { kind: 'allowed' };
  // Those before the last are only looked at: a moment to come back at is given where the line is.
  for (const account of accounts.slice(0, -1)) {
    const answer = await takeOf(parts, account, { ...wanted, as: 'present' });
    if (answer.kind === 'allowed') return answer;
  }
  return takeOf(parts, last, wanted);
}

async function takeOf(
  { askInLine, newId, tokensOf }: Asking,
  { account, limits }: AccountLimits,
  { message, as, dueAt, signal }: Wanted,
): Promise<PermitAnswer> {
  const tokens = tokensOf(message, limits);
  const id = newId('att');
  const answer = await askInLine({ id, limits, tokens, as, dueAt, stays: true, signal });
  if (answer.kind === 'never') return { kind: 'allowed' };
  if (answer.kind !== 'allowed') return answer;
  const { ask, askedAtMs } = answer;
  const permit: WorkerPermit = { id, account, ask, askedAtMs, isPaced: dueAt !== undefined };
  return { kind: 'allowed', permit };
}

function isWorkerPermit(permit: JobPermit | undefined): permit is WorkerPermit {
  return permit !== undefined && 'ask' in permit && 'account' in permit;
}
