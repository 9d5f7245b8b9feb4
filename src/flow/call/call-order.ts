// What a call to a model needs: the parts every call shares, and the order that says what is wanted, for whom, and how
// long it may take.

import type { Headroom } from '../../admission/headroom.ts';
import type { Principal } from '../../admission/principal.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import type { PermitAsk, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { RetryBudget } from '../../resilience/retry-budget.ts';
import type { RetryRules } from '../../resilience/retry-policy.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { TargetLoad } from '../../routing/target-load.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt.ts';
import type { PacerAnswer } from '../pacing/pacer.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallTerms } from './call-terms.ts';
import type { CallPlan } from './plan-call.ts';
import type { FailureBook } from './record-failure.ts';

export type CallParts = {
  readonly attempts: AttemptParts;
  readonly resolveTargets: ResolveTargets;
  /** Told what is under way, where somebody goes by it. */
  readonly load: TargetLoad | undefined;
  readonly isReasoning: (model: string) => boolean;
  readonly contextTokens: ContextTokensOf;
  /** What providers have said of their own limits. */
  readonly limits: ProviderLimits;
  /** What we allow callers, and ourselves towards the providers. */
  readonly limiter: RateLimiter;
  readonly terms: CallTerms;
  readonly ledger: BudgetLedger;
  /** A holder that fell silent is given up this long after its call must have ended. */
  readonly holdMarginMs: number;
  readonly breakers: BreakerBoard;
  readonly retryBudget: RetryBudget;
  /** What is left below the providers' own limits. */
  readonly headroom: Headroom;
  readonly retryRules: RetryRules;
  readonly meter: Meter;
  /** Whose money is spent by work that no key of a caller's is at hand for. Rejects when the store is away. */
  readonly budgetOwnerOf: (organizationId: string, keyId: string) => Promise<BudgetOwner>;
  readonly metrics: CallMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverId: string;
  /** Where failures are written down for operators. */
  readonly failures?: FailureBook;
};

/** For whom a call is made, as its usage record says it. */
export type Payer = Pick<UsageRecord, 'organizationId' | 'keyId' | 'userId' | 'category'>;

/** A permit that may become too old before its call goes. */
export type HeldPermit = {
  readonly ask: PermitAsk;
  /** Monotonic; the permit may count from then on. */
  readonly askedAtMs: number;
  /** Gives the permit back and takes another at the limit's pace; absent for a permit that was not waited for. */
  readonly renew?: (signal: AbortSignal) => Promise<PacerAnswer>;
};

export type CallOrder = {
  /** Attempts, permits, holds and usage records are named after it. */
  readonly id: string;
  readonly plan: CallPlan;
  readonly payer: Payer;
  readonly budget: BudgetOwner;
  /** Whose limits the first attempt asks; absent where they were asked when a job was handed in. */
  readonly principal?: Principal | undefined;
  /** The account's permit for the first attempt, where a worker has taken it. */
  readonly permit?: HeldPermit | undefined;
  /** A job: each target is tried once, and waiting is left to the queue. */
  readonly isBackground: boolean;
  /** Under what its failures are written down, where that is not its own id. */
  readonly recordedUnder?: { readonly id: string; readonly correlationId?: string | undefined };
  /** `clock.monotonic()` when it was asked for, and when it must have ended. */
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
};
