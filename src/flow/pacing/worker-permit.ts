// The worker's permit of the provider's own limit, taken before a job is claimed. Interactive calls take from the same
// count, and it is the safety net behind the dispatcher: a message may have bypassed it, or raced. The accounts of a
// provider are asked in turn; an account at a learnt limit is passed over while another is not.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermits, PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { askInTurn, createAccountTurns } from './account-turns.ts';
import { Pacer, type PacerParts, type PacerRequest } from './pacer.ts';

/** The limits of one account, as they hold for this worker. */
export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

export type WorkerPermitParts = PacerParts & {
  readonly accounts: ReadonlyMap<string, readonly AccountLimits[]>;
  /** The reservation of limits that count tokens. */
  readonly tokensOf: (message: JobMessage, limits: readonly Limit[]) => number;
  /** Whether the account may be called with the job's model; absent: all may. */
  readonly isUsable?: ((account: string, job: Job) => boolean) | undefined;
  readonly metrics: WorkerMetrics;
};

type PacedAccount = AccountLimits & { readonly pacer: Pacer };

/** A job that has waited until its due time waits a little longer; the others are better off on the queue. */
const MAX_FIRST_WAIT_MS = 500;
const MAX_LATE_WAIT_MS = 1000;

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics, tokensOf } = parts;
  const withPacer = (each: AccountLimits) => ({ ...each, pacer: new Pacer(parts, each.limits) });
  const providers = new Map(
    [...parts.accounts].map(([name, own]) => [
      name,
      createAccountTurns(own.map(withPacer), ({ limits }) => limits[0]?.max ?? 1),
    ]),
  );

  async function takeOfAny(job: Job, message: JobMessage, wait: PacerRequest) {
    const { isUsable } = parts;
    const nextOrder = providers.get(job.provider ?? '');
    const accounts = nextOrder?.(isUsable && (({ account }) => isUsable(account, job))) ?? [];
    const ask =
      (patienceMs?: number) =>
      async ({ account, limits, pacer }: PacedAccount): Promise<PermitAnswer> => {
        const tokens = tokensOf(message, limits);
        const answer = await pacer.acquire({ ...wait, tokens, patienceMs });
        if (answer.kind !== 'allowed') return answer;
        return { kind: 'allowed', permit: answer.permit && { ...answer.permit, account } };
      };
    const isFirst = wait.dueAt === undefined;
    return askInTurn(accounts, ask(), ask(isFirst ? MAX_FIRST_WAIT_MS : MAX_LATE_WAIT_MS));
  }

  return {
    async take(job, message, { dueAt = dueTimeOf(job), closing: signal }) {
      const taken = await takeOfAny(job, message, { dueAt, signal });
      const answer = taken ?? { kind: 'allowed' };
      metrics.checked(job.provider ?? '', answer.kind);
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
