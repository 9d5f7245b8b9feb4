// Chooses a job's provider: the first of its candidates (dispatch-candidates.ts) that can take it. A provider can take a job
// while it has an account with neither a learnt limit nor an open circuit. With overflow, other providers are skipped if
// one can take the job. A job that has to wait for a provider limit or for the own circuit of its organisation gets its due
// time here and takes no permit. Raw-queue messages count against the dispatcher's limit of an account here; callers' jobs
// count when they are released from their tenant queues.

import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { ErrorParams } from '../../errors/codes.ts';
import type { Job } from '../../jobs/model/job.ts';
import type { ChooseProvider, ProviderChoice } from '../../jobs/pipeline/dispatch-job.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import type {
  DispatchAnswer,
  DispatchLimit,
  DispatchScope,
  DispatchWait,
} from '../pacing/dispatch-limit.ts';
import { type Candidate, type CandidateParts, candidatesFor } from './dispatch-candidates.ts';
import type { OwnCircuitWait } from './own-circuit-wait.ts';

export type ChooseParts = CandidateParts & {
  readonly overflow: 'next' | 'delay';
  readonly limits: ProviderLimits;
  /** Counts the admitted messages; absent if the check is turned off. */
  readonly dispatchLimit?: DispatchLimit | undefined;
  /** The configured delay of a message over that limit; absent for the exact delay. */
  readonly fixedDelayMs?: number | undefined;
  /** Whether the account's circuit is open because of failures and no probe is due. */
  readonly isFailing?: ((account: CircuitKey) => boolean) | undefined;
  readonly ownCircuitWait?: OwnCircuitWait | undefined;
  readonly clock: Clock;
};

export function createChooseProvider(parts: ChooseParts): ChooseProvider {
  const choose = createChoose(parts);
  return async (job, signal) => {
    const choice = await choose(job, signal);
    if (choice.kind === 'route') parts.loads?.routed(choice.provider);
    return choice;
  };
}

function createChoose(parts: ChooseParts): ChooseProvider {
  return async (job, signal) => {
    const candidates = await candidatesFor(parts, job);
    const [first] = candidates;
    if (!first) return refuse(job.model === undefined ? {} : { field: 'model' });
    const offered = parts.overflow === 'next' ? healthyOf(parts, candidates) : [first];
    const waits = offered.map((candidate) => ({ candidate, wait: waitFor(parts, candidate, job) }));
    const free = waits.flatMap(({ candidate, wait }) => (wait ? [] : [candidate]));
    const [best] = free;
    if (!best) return routeSoonest(waits, first);
    const { dispatchLimit } = parts;
    if (!dispatchLimit || job.origin === 'http') return route(best);
    const dueAt = isReturning(job) ? job.runAt : undefined;
    return routeWithin(parts, dispatchLimit, free, { dueAt, signal });
  };
}

/** Whether the limit has delayed the job before and it is due now. */
function isReturning({ state, waitCode }: Job): boolean {
  return state === 'delayed' && waitCode === 'RATE_LIMITED';
}

/** If every circuit is open the job goes to the first candidate and waits for its worker. */
function healthyOf(parts: ChooseParts, candidates: readonly Candidate[]): readonly Candidate[] {
  const isFailing = (candidate: Candidate) =>
    accountsOf(candidate).every((account) => parts.isFailing?.(account) === true);
  const healthy = candidates.filter((candidate) => !isFailing(candidate));
  return healthy.length === 0 ? candidates : healthy;
}

type Wait = Required<Pick<Route, 'runAt' | 'waitCode'>>;
type CandidateWait = { readonly candidate: Candidate; readonly wait: Wait | undefined };

/** Until the limit of one account ends and the own circuit of the organisation may be probed. */
function waitFor(
  { limits, ownCircuitWait, clock }: ChooseParts,
  candidate: Candidate,
  { organizationId }: Job,
): Wait | undefined {
  const resets = accountsOf(candidate).map((account) => limits.active(account)?.resetAt ?? 0);
  const resetAt = Math.min(...resets);
  const openForMs = ownCircuitWait?.(candidate.provider.name, organizationId) ?? 0;
  const openUntil = openForMs > 0 ? clock.now() + openForMs : 0;
  if (resetAt === 0 && openUntil === 0) return undefined;
  return resetAt >= openUntil
    ? { runAt: resetAt, waitCode: 'AI_LIMIT_REACHED' }
    : { runAt: openUntil, waitCode: 'PROVIDER_UNAVAILABLE' };
}

/** The accounts that could serve the candidate's model; at least one, as a candidate has a key. */
function accountsOf({ provider, model }: Candidate): readonly CircuitKey[] {
  return provider.accounts.map(({ name: account, region }) => ({
    provider: provider.name,
    region,
    account,
    model,
  }));
}

/** Slots are taken from accounts that may be called now. */
function scopeOf(parts: ChooseParts, candidate: Candidate): DispatchScope {
  const unusable = new Set(
    accountsOf(candidate)
      .filter((account) => parts.limits.active(account) || parts.isFailing?.(account) === true)
      .map(({ account }) => account),
  );
  return { provider: candidate.provider.name, isUsable: (account) => !unusable.has(account) };
}

function routeSoonest(waits: readonly CandidateWait[], first: Candidate): Route {
  const [soonest] = waits.toSorted((a, b) => (a.wait?.runAt ?? 0) - (b.wait?.runAt ?? 0));
  return { ...route(soonest?.candidate ?? first), ...soonest?.wait };
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
      const answer = await limit.tryNow(scopeOf(parts, candidate), wait);
      if (answer.kind === 'allowed') return admitted(candidate, answer);
      if (answer.afterMs < shortestMs) chosen = candidate;
      shortestMs = Math.min(shortestMs, answer.afterMs);
    }
  }
  if (!chosen) return refuse({});
  const { fixedDelayMs } = parts;
  const scope = scopeOf(parts, chosen);
  const answer = await (fixedDelayMs === undefined
    ? limit.acquire(scope, wait)
    : limit.tryNow(scope, wait));
  return answer.kind === 'allowed'
    ? admitted(chosen, answer)
    : delayedBy(parts, limit, chosen, answer);
}

function admitted(
  candidate: Candidate,
  { giveBack: releasePermit }: Extract<DispatchAnswer, { kind: 'allowed' }>,
): ProviderChoice {
  return { ...route(candidate), releasePermit };
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
  return { ...route(candidate), ...wait };
}

type Route = Extract<ProviderChoice, { kind: 'route' }>;

function route({ provider, model }: Candidate): Route {
  return { kind: 'route', provider: provider.name, queue: provider.queue, model };
}

function refuse(params: ErrorParams): ProviderChoice {
  return { kind: 'refuse', verdict: { code: 'INVALID_REQUEST', params, retryable: false } };
}
