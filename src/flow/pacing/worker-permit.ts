// The worker's permit of the provider's own limit, taken before a job is claimed. Interactive calls take from the same
// count, and it is the safety net behind the dispatcher: a message may have bypassed it, or raced. The accounts of a
// provider are asked in turn; the last one gives due times.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermits, PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { Pacer, type PacerRequest } from './pacer.ts';

/** The limits of one account, as they hold for this worker. */
export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

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
type Wait = Pick<PacerRequest, 'dueAt' | 'signal' | 'patienceMs'>;

/** A job that has waited until its due time waits a little longer; the others are better off on the queue. */
const MAX_FIRST_WAIT_MS = 500;
const MAX_LATE_WAIT_MS = 1000;

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics, newId, tokensOf } = parts;
  const withPacer = (each: AccountLimits) => ({ ...each, pacer: new Pacer(parts, each.limits) });
  const providers = new Map([...parts.accounts].map(([name, own]) => [name, own.map(withPacer)]));

  async function take(of: Account, message: JobMessage, wait: Wait): Promise<PermitAnswer> {
    const { account, limits, pacer } = of;
    const tokens = tokensOf(message, limits);
    const answer = await pacer.acquire({ id: newId('att'), tokens, ...wait });
    if (answer.kind === 'never') return { kind: 'allowed' };
    if (answer.kind !== 'allowed') return answer;
    const { permit } = answer;
    const waitForTurn = async (signal: AbortSignal) =>
      permit.isPaced ? pacer.waitForTurn(permit, signal) : undefined;
    return { kind: 'allowed', permit: { ...permit, account, waitForTurn } };
  }

  async function takeOfAny(
    accounts: readonly Account[],
    message: JobMessage,
    wait: Wait,
  ): Promise<PermitAnswer> {
    for (const account of accounts.slice(0, -1)) {
      const answer = await take(account, message, { ...wait, patienceMs: undefined });
      if (answer.kind === 'allowed') return answer;
    }
    const last = accounts.at(-1);
    return last ? take(last, message, wait) : { kind: 'allowed' };
  }

  return {
    async take(job, message, { dueAt = dueTimeOf(job), closing }) {
      const provider = job.provider ?? '';
      const patienceMs = dueAt === undefined ? MAX_FIRST_WAIT_MS : MAX_LATE_WAIT_MS;
      const wait = { dueAt, signal: closing, patienceMs };
      const answer = await takeOfAny(providers.get(provider) ?? [], message, wait);
      metrics.checked(provider, answer.kind);
      return answer;
    },
    giveBack: ({ ask }) => limiter.giveBack(ask),
    noteRequeued: (job) => metrics.requeued(job.provider ?? ''),
  };
}

/** Of a job that waited for a limit, here or at the dispatcher. */
function dueTimeOf({ waitCode, runAt }: Job): number | undefined {
  return waitCode === 'RATE_LIMITED' ? runAt : undefined;
}
