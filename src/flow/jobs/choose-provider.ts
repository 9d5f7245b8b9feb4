// Chooses a job's provider: the first of its candidates (dispatch-candidates.ts) that can take it. With overflow, limited
// providers and providers with an open circuit are skipped if another can take the job. Raw-queue messages count against
// the dispatcher's limit here; callers' jobs count when they are released from their tenant queues.

import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { ErrorParams } from '../../errors/codes.ts';
import type { Job } from '../../jobs/model/job.ts';
import type { ChooseProvider, ProviderChoice } from '../../jobs/pipeline/dispatch-job.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DispatchAnswer, DispatchLimit, DispatchWait } from '../pacing/dispatch-limit.ts';
import { type Candidate, type CandidateParts, candidatesFor } from './dispatch-candidates.ts';

export type ChooseParts = CandidateParts & {
  readonly overflow: 'next' | 'delay';
  readonly limits: ProviderLimits;
  /** Counts the admitted messages; absent if the check is turned off. */
  readonly dispatchLimit?: DispatchLimit | undefined;
  /** The configured delay of a message over that limit; absent for the exact delay. */
  readonly fixedDelayMs?: number | undefined;
  /** Whether its circuit is open because of failures. */
  readonly isFailing?: ((provider: string, region: string) => boolean) | undefined;
  readonly clock: Clock;
};

export function createChooseProvider(parts: ChooseParts): ChooseProvider {
  return async (job, signal) => {
    const candidates = await candidatesFor(parts, job);
    const [first] = candidates;
    if (!first) return refuse(job.model === undefined ? {} : { field: 'model' });
    const offered = parts.overflow === 'next' ? healthyOf(parts, candidates) : [first];
    const free = offered.filter((candidate) => limitOf(parts, candidate) === undefined);
    const [best] = free;
    if (!best) return route(parts, soonest(parts, offered) ?? first);
    const { dispatchLimit } = parts;
    if (!dispatchLimit || job.origin === 'http') return route(parts, best);
    const dueAt = isReturning(job) ? job.runAt : undefined;
    return routeWithin(parts, dispatchLimit, free, { dueAt, signal });
  };
}

/** It was delayed by the limit before and is due now. */
function isReturning({ state, waitCode }: Job): boolean {
  return state === 'delayed' && waitCode === 'RATE_LIMITED';
}

/** If every circuit is open the job goes to the first candidate and waits for its worker. */
function healthyOf(parts: ChooseParts, candidates: readonly Candidate[]): readonly Candidate[] {
  const isFailing = ({ provider }: Candidate) =>
    parts.isFailing?.(provider.name, provider.region) === true;
  const healthy = candidates.filter((candidate) => !isFailing(candidate));
  return healthy.length === 0 ? candidates : healthy;
}

function limitOf({ limits }: ChooseParts, { provider, model }: Candidate): number | undefined {
  const { name, region } = provider;
  return limits.active({ provider: name, region, model })?.resetAt;
}

function soonest(parts: ChooseParts, candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((a, b) => (limitOf(parts, a) ?? 0) - (limitOf(parts, b) ?? 0))[0];
}

/** The first candidate with a free slot; else the candidate with the earliest due time. */
async function routeWithin(
  parts: ChooseParts,
  limit: DispatchLimit,
  candidates: readonly Candidate[],
  wait: DispatchWait,
): Promise<ProviderChoice> {
  let chosen = candidates[0];
  if (candidates.length > 1) {
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      const answer = await limit.tryNow(candidate.provider.name, wait);
      if (answer.kind === 'allowed') return admitted(parts, candidate, answer);
      if (answer.afterMs < shortestMs) chosen = candidate;
      shortestMs = Math.min(shortestMs, answer.afterMs);
    }
  }
  if (!chosen) return refuse({});
  const { fixedDelayMs } = parts;
  const { name } = chosen.provider;
  const answer = await (fixedDelayMs === undefined
    ? limit.acquire(name, wait)
    : limit.tryNow(name, wait));
  return answer.kind === 'allowed'
    ? admitted(parts, chosen, answer)
    : delayedBy(parts, limit, chosen, answer);
}

function admitted(
  parts: ChooseParts,
  candidate: Candidate,
  { giveBack: releasePermit }: Extract<DispatchAnswer, { kind: 'allowed' }>,
): ProviderChoice {
  return { ...route(parts, candidate), releasePermit };
}

/** A fixed delay ends on the provider's queue, as existing systems expect; after an exact one the limit decides again. */
function delayedBy(
  parts: ChooseParts,
  limit: DispatchLimit,
  candidate: Candidate,
  answer: Exclude<DispatchAnswer, { kind: 'allowed' }>,
): ProviderChoice {
  if (answer.kind === 'stay') return { kind: 'stay', afterMs: answer.afterMs };
  const { fixedDelayMs, clock } = parts;
  const code = 'RATE_LIMITED';
  limit.noteDelayed(candidate.provider.name, fixedDelayMs ?? answer.afterMs);
  if (fixedDelayMs === undefined)
    return { kind: 'wait', until: clock.now() + answer.afterMs, code };
  const wait = { runAt: clock.now() + fixedDelayMs, waitCode: code, fixedDelayMs } as const;
  return { ...route(parts, candidate), ...wait };
}

type Route = Extract<ProviderChoice, { kind: 'route' }>;

function route(parts: ChooseParts, candidate: Candidate): Route {
  const { provider, model } = candidate;
  const runAt = limitOf(parts, candidate);
  const wait = runAt === undefined ? {} : ({ runAt, waitCode: 'AI_LIMIT_REACHED' } as const);
  return { kind: 'route', provider: provider.name, queue: provider.queue, model, ...wait };
}

function refuse(params: ErrorParams): ProviderChoice {
  return { kind: 'refuse', verdict: { code: 'INVALID_REQUEST', params, retryable: false } };
}
