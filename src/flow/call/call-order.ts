// The inputs of a model call: the dependencies that all calls share, and the order, which states one call's request, payer
// and deadline.

import type { RefusedCredentials } from '../../admission/credentials/refused-credentials.ts';
import type { Headroom } from '../../admission/headroom.ts';
import type { Principal } from '../../admission/principal.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Redact } from '../../errors/redact.ts';
import type { JobPermit } from '../../jobs/ports/job-permits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Tracer } from '../../kernel/telemetry/tracer.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';
import type { RetryRules } from '../../resilience/retry-policy.ts';
import type { SharedRetryBudget } from '../../resilience/retry-shares.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { TargetLoad } from '../../routing/target-load.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt-call.ts';
import type { AttemptTimeouts } from '../../upstream/attempt/attempt-clocks.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import type { PerformanceLog } from '../telemetry/performance-log.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallTerms } from './call-terms.ts';
import type { CallerRetries, RetryingCaller } from './caller-retries.ts';
import type { AlsoAllowed, CallPlan, PlanParts } from './plan-call.ts';

export type CallParts = {
  readonly attempts: AttemptParts;
  readonly resolveTargets: ResolveTargets;
  /** Counts calls in flight per target; undefined when no alias selects by load. */
  readonly load: TargetLoad | undefined;
  readonly isReasoning: (model: string) => boolean;
  /** What the operator allows to be forwarded to providers in addition to the built-in lists. */
  readonly alsoAllowed?: AlsoAllowed;
  /** Whether an organisation may name objects that a provider stores for the account; absent if all may. */
  readonly mayNameStored?: (organizationId: string) => boolean;
  /** Serves requests at targets of another wire format. */
  readonly translation?: PlanParts['translation'];
  readonly contextTokens: ContextTokensOf;
  /** The providers' own limits, as learnt from their responses. */
  readonly limits: ProviderLimits;
  /** The configured limits of organisations, keys and provider accounts. */
  readonly limiter: RateLimiter;
  readonly terms: CallTerms;
  readonly ledger: BudgetLedger;
  /** A permit or reservation without a reported end is dropped this long after its call must have ended. */
  readonly holdMarginMs: number;
  readonly breakers: BreakerBoard;
  readonly retryBudget: SharedRetryBudget;
  readonly callerRetries: CallerRetries;
  readonly credentials: RefusedCredentials;
  /** The remaining headroom below the providers' limits. */
  readonly headroom: Headroom;
  readonly retryRules: RetryRules;
  readonly meter: Meter;
  /** The budget owner of a job, which has no principal. Rejects while the store is unavailable. */
  readonly budgetOwnerOf: (organizationId: string, keyId: string) => Promise<BudgetOwner>;
  readonly metrics: CallMetrics;
  /** Absent where traces are not exported. */
  readonly tracer?: Tracer | undefined;
  /** Absent where slow requests are not logged. */
  readonly performance?: PerformanceLog | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverId: string;
  readonly failures?: FailureRecorder;
};

/** Request records for operators, and the redaction of their text. */
export type FailureRecorder = { readonly records: RequestRecords; readonly redact: Redact };

/** The organisation, key, user and category in the call's usage records. */
export type Payer = Pick<UsageRecord, 'organizationId' | 'keyId' | 'userId' | 'category'>;

export type CallOrder = {
  /** The ids of attempts, permits, reservations and usage records derive from it. */
  readonly id: string;
  readonly plan: CallPlan;
  readonly payer: Payer;
  readonly budget: BudgetOwner;
  /** The caller whose limits the first attempt counts against; absent for a job, which was counted when submitted. */
  readonly principal?: Principal | undefined;
  /** The account's permit for the first attempt, when a worker has already taken it. */
  readonly permit?: Pick<JobPermit, 'ask' | 'askedAtMs' | 'account'> | undefined;
  /** True for a job: each target is tried once, and the job waits on its queue. */
  readonly isBackground: boolean;
  /** The request as its caller sent it, which may be a repeat; absent for a job, which its queue retries. */
  readonly caller?: RetryingCaller | undefined;
  /** The id of the request record for failures; the order's own id by default. */
  readonly recordedUnder?: { readonly id: string; readonly correlationId?: string | undefined };
  /** The `traceparent` of the span around the call; absent where traces are not exported. */
  readonly traceParent?: string | undefined;
  /** `clock.monotonic()` at the start of the request. */
  readonly startedAtMs: number;
} & CallDeadlines;

/** On `clock.monotonic()`. */
export type CallDeadlines = {
  /** No attempt begins after it. */
  readonly deadlineAtMs: number;
  /** The caller's own deadline; missing it says nothing about the provider. */
  readonly ownDeadlineAtMs: number | undefined;
  /** The end of an attempt; undefined for a stream, which may flow for any time unless its caller sets a deadline. */
  readonly endsAtMs: number | undefined;
  /** Limits and reservations count an attempt until then if its end is never reported. */
  readonly leasedUntilMs: number;
};

export function deadlinesOf(
  { isStream }: Pick<CallPlan, 'isStream'>,
  startedAtMs: number,
  ownDeadlineAtMs: number | undefined,
  { totalMs, streamLeaseMs }: Pick<AttemptTimeouts, 'totalMs' | 'streamLeaseMs'>,
): CallDeadlines {
  const totalAtMs = startedAtMs + totalMs;
  if (!isStream) {
    const deadlineAtMs = Math.min(ownDeadlineAtMs ?? totalAtMs, totalAtMs);
    return { deadlineAtMs, ownDeadlineAtMs, endsAtMs: deadlineAtMs, leasedUntilMs: deadlineAtMs };
  }
  return {
    deadlineAtMs: ownDeadlineAtMs ?? totalAtMs,
    ownDeadlineAtMs,
    endsAtMs: ownDeadlineAtMs,
    leasedUntilMs: ownDeadlineAtMs ?? startedAtMs + Math.max(totalMs, streamLeaseMs),
  };
}
