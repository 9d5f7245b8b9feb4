// The inputs of a model call: the dependencies that all calls share, and the order, which states one call's request, payer
// and deadline.

import type { Headroom } from '../../admission/headroom.ts';
import type { Principal } from '../../admission/principal.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Redact } from '../../errors/redact.ts';
import type { HeldPermit } from '../../jobs/ports/job-permits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';
import type { RetryBudget } from '../../resilience/retry-budget.ts';
import type { RetryRules } from '../../resilience/retry-policy.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { TargetLoad } from '../../routing/target-load.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallTerms } from './call-terms.ts';
import type { CallPlan } from './plan-call.ts';

export type CallParts = {
  readonly attempts: AttemptParts;
  readonly resolveTargets: ResolveTargets;
  /** Counts calls in flight per target; undefined when no alias selects by load. */
  readonly load: TargetLoad | undefined;
  readonly isReasoning: (model: string) => boolean;
  readonly contextTokens: ContextTokensOf;
  /** The providers' own limits, as learnt from their responses. */
  readonly limits: ProviderLimits;
  /** The configured limits of organisations, keys and provider accounts. */
  readonly limiter: RateLimiter;
  readonly terms: CallTerms;
  readonly ledger: BudgetLedger;
  /** A holder that fell silent is given up this long after its call must have ended. */
  readonly holdMarginMs: number;
  readonly breakers: BreakerBoard;
  readonly retryBudget: RetryBudget;
  /** The remaining headroom below the providers' limits. */
  readonly headroom: Headroom;
  readonly retryRules: RetryRules;
  readonly meter: Meter;
  /** The budget owner of a job, which has no principal. Rejects while the store is unavailable. */
  readonly budgetOwnerOf: (organizationId: string, keyId: string) => Promise<BudgetOwner>;
  readonly metrics: CallMetrics;
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
  /** Attempts, permits, holds and usage records are named after it. */
  readonly id: string;
  readonly plan: CallPlan;
  readonly payer: Payer;
  readonly budget: BudgetOwner;
  /** The caller whose limits the first attempt counts against; absent for a job, which was counted when submitted. */
  readonly principal?: Principal | undefined;
  /** The account's permit for the first attempt, when a worker has already taken it. */
  readonly permit?: HeldPermit | undefined;
  /** True for a job: each target is tried once, and the queue does the waiting. */
  readonly isBackground: boolean;
  /** The id of the request record for failures; the order's own id by default. */
  readonly recordedUnder?: { readonly id: string; readonly correlationId?: string | undefined };
  /** `clock.monotonic()` at the start of the request, and at its deadline. */
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
};
