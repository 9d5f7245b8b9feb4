// Where does a job go? To the first of its candidates, in the order of dispatch-candidates.ts, that can take it.
// Providers that are limited or broken are passed over where another can take it and overflow is allowed. Messages of the
// raw queue are counted here by the dispatcher's own limit; jobs of callers are counted when they are released, in their
// fair order.

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
  /** What is let through is counted; absent where the check is turned off. */
  readonly dispatchLimit?: DispatchLimit | undefined;
  /** How long a message over that limit waits, where it is not to be the exact time. */
  readonly fixedDelayMs?: number | undefined;
  /** Whether calls to it are known to fail. */
  readonly isBroken?: ((provider: string, region: string) => boolean) | undefined;
  readonly clock: Clock;
};

export function createChooseProvider(parts: ChooseParts): ChooseProvider {
  return async (job, signal) => {
    const candidates = await candidatesFor(parts, job);
    const [first] = candidates;
    if (!first) return refuse(job.model === undefined ? {} : { field: 'model' });
    const offered = parts.overflow === 'next' ? inHealthFirst(parts, candidates) : [first];
    const free = offered.filter((candidate) => limitOf(parts, candidate) === undefined);
    const [best] = free;
    if (!best) return route(parts, soonest(parts, offered) ?? first);
    const { dispatchLimit } = parts;
    if (!dispatchLimit || job.origin === 'http') return route(parts, best);
    const dueAt = isReturning(job) ? job.runAt : undefined;
    return routeWithin(parts, dispatchLimit, free, { dueAt, signal });
  };
}

/** It was put off before, so that its moment has come. */
function isReturning({ state, waitCode }: Job): boolean {
  return state === 'delayed' && waitCode === 'RATE_LIMITED';
}

/** Broken ones are asked last; when all are, the first is as good as any, and its workers wait for it. */
function inHealthFirst(parts: ChooseParts, candidates: readonly Candidate[]): readonly Candidate[] {
  const isBroken = ({ provider }: Candidate) =>
    parts.isBroken?.(provider.name, provider.region) === true;
  const well = candidates.filter((candidate) => !isBroken(candidate));
  return well.length === 0 ? candidates : well;
}

function limitOf({ limits }: ChooseParts, { provider, model }: Candidate): number | undefined {
  return limits.active(provider.name, provider.region, model)?.resetAt;
}

function soonest(parts: ChooseParts, candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((a, b) => (limitOf(parts, a) ?? 0) - (limitOf(parts, b) ?? 0))[0];
}

/** The first with room; when none has, the message waits for the one whose turn comes soonest. */
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
      const answer = await limit.ask(candidate.provider.name, 'present');
      if (answer.kind === 'allowed') return admitted(parts, candidate, answer);
      if (answer.afterMs < shortestMs) chosen = candidate;
      shortestMs = Math.min(shortestMs, answer.afterMs);
    }
  }
  if (!chosen) return refuse({});
  const { fixedDelayMs } = parts;
  const as =
    fixedDelayMs !== undefined ? 'present' : wait.dueAt === undefined ? 'newcomer' : 'returning';
  const answer = await limit.ask(chosen.provider.name, as, wait);
  return answer.kind === 'allowed'
    ? admitted(parts, chosen, answer)
    : putOff(parts, limit, chosen, answer);
}

function admitted(
  parts: ChooseParts,
  candidate: Candidate,
  { giveBack }: Extract<DispatchAnswer, { kind: 'allowed' }>,
): ProviderChoice {
  return { ...route(parts, candidate), giveBack };
}

/** A fixed delay leads straight to the provider's queue, as in the existing systems; an exact one is asked again. */
function putOff(
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
