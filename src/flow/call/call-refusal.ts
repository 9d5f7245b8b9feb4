// Why a call is not made now, as the error its caller would get: the provider is known to be limited, a count is full,
// the circuit is open, the money is spent.

import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { BudgetDecision } from '../../metering/budgets/budget-ledger.ts';
import type { BreakerAnswer } from '../../resilience/breaker-board.ts';
import type { PermitDecision } from '../../resilience/rate-limiter.ts';

/** When a slot of concurrent calls will be free nobody knows; a second is a fair guess. */
const CONCURRENT_RETRY_MS = 1000;
const STORE_AWAY_RETRY_MS = 5000;

export function limitedUntil(limit: ProviderLimit, now: number): SpillwayError {
  if (limit.kind === 'throttled') return throttled(Math.max(1, limit.resetAt - now), 'provider');
  return new SpillwayError('AI_LIMIT_REACHED', `${limit.provider} is limited`, {
    params: { resetTime: limit.resetAt },
    resetAt: limit.resetAt,
  });
}

export function unpriced(model: string): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', `nobody knows the price of ${model}`, {
    params: { field: 'model' },
  });
}

/** The circuit holds it back: after failures, or after a limit, until one call has found that it is over. */
export function circuitRefusal(
  provider: string,
  { cause, retryAfterMs }: Extract<BreakerAnswer, { isAllowed: false }>,
): SpillwayError {
  return cause === 'limit'
    ? throttled(retryAfterMs, 'provider')
    : circuitOpen(provider, retryAfterMs);
}

export function circuitOpen(provider: string, retryAfterMs: number): SpillwayError {
  return new SpillwayError('PROVIDER_UNAVAILABLE', `the circuit of ${provider} is open`, {
    params: { reason: 'circuit_open', retryAfterMs },
    retryAfterMs,
  });
}

/** The provider has said how little is left: who comes now waits for a turn. */
export function lowHeadroom(provider: string, retryAfterMs: number): SpillwayError {
  return new SpillwayError('RATE_LIMITED', `little is left of the limit of ${provider}`, {
    params: { scope: 'system', retryAfterMs },
    retryAfterMs,
  });
}

/** The caller's deadline has passed before anybody was asked. */
export function deadlinePassed(): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', 'the deadline has passed', {
    params: { phase: 'total' },
  });
}

type Refused = Extract<PermitDecision, { isAllowed: false }>;

export function overLimit({ binding, retryAfterMs }: Refused): SpillwayError {
  if (!binding) return throttled(retryAfterMs ?? CONCURRENT_RETRY_MS, 'system');
  const { limit } = binding;
  if (limit.kind === 'concurrent') return throttled(CONCURRENT_RETRY_MS, scopeOf(limit.tier));
  if (retryAfterMs === undefined)
    return new SpillwayError('REQUEST_TOO_LARGE', 'one request is larger than the whole limit', {
      params: { limit: limit.max },
    });
  return throttled(retryAfterMs, scopeOf(limit.tier));
}

export function budgetRefusal(decision: Exclude<BudgetDecision, { kind: 'reserved' }>): SpillwayError {
  if (decision.kind === 'unavailable')
    return new SpillwayError('CAPACITY_EXHAUSTED', 'budgets cannot be asked', {
      retryAfterMs: STORE_AWAY_RETRY_MS,
    });
  const { scope, limitNanos, spentNanos, resetAt } = decision;
  return new SpillwayError('BUDGET_EXCEEDED', `the budget of the ${scope} is used up`, {
    params: { resetTime: resetAt, spent: nanosToUsd(spentNanos), limit: nanosToUsd(limitNanos) },
    resetAt,
  });
}

function throttled(retryAfterMs: number, scope: 'organization' | 'system' | 'provider') {
  return new SpillwayError('RATE_LIMITED', `over a limit of the ${scope}`, {
    params: { scope, retryAfterMs },
    retryAfterMs,
  });
}

/** A key's own limit is the organisation's affair; what protects an account is ours. */
function scopeOf(tier: string): 'organization' | 'system' {
  return tier === 'organization' || tier === 'key' ? 'organization' : 'system';
}
