// The worker's permit of the provider's own limit, taken before a job is claimed. Interactive calls take from the same
// count, and it is the safety net behind the dispatcher: a message may have bypassed it, or raced. The accounts of a
// provider are asked in turn; the last one gives due times.

import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobPermits, PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { WorkerMetrics } from '../jobs/worker-metrics.ts';
import { Pacer, type PacerParts } from './pacer.ts';

/** The limits of one account, as they hold for this worker. */
export type AccountLimits = { readonly account: string; readonly limits: readonly Limit[] };

export type WorkerPermitParts = PacerParts & {
  readonly accounts: ReadonlyMap<string, readonly AccountLimits[]>;
  /** The reservation of limits that count tokens. */
  readonly tokensOf: (message: JobMessage, limits: readonly Limit[]) => number;
  readonly metrics: WorkerMetrics;
};

/** For a longer wait a job is better off on the queue. */
const MAX_WAIT_MS = 1000;

export function createWorkerPermits(parts: WorkerPermitParts): JobPermits {
  const { limiter, metrics, tokensOf } = parts;
  const withPacer = (each: AccountLimits) => ({ ...each, pacer: new Pacer(parts, each.limits) });
  const providers = new Map([...parts.accounts].map(([name, own]) => [name, own.map(withPacer)]));

  return {
    async take(job, message, { dueAt = dueTimeOf(job), closing: signal }) {
      const provider = job.provider ?? '';
      const accounts = providers.get(provider) ?? [];
      let answer: PermitAnswer = { kind: 'allowed' };
      for (const { account, limits, pacer } of accounts) {
        const isLast = account === accounts.at(-1)?.account;
        const patienceMs = isLast ? MAX_WAIT_MS : undefined;
        const tokens = tokensOf(message, limits);
        const paced = await pacer.acquire({ tokens, dueAt, patienceMs, signal });
        const isAllowed = paced.kind === 'allowed';
        const permit = isAllowed && paced.permit ? { ...paced.permit, account } : undefined;
        answer = isAllowed ? { kind: 'allowed', permit } : paced;
        if (isAllowed) break;
      }
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
