// The errors of a call that is refused before it is sent: a known provider limit, a rate limit, an open circuit, a spent
// budget.

import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { BudgetDecision } from '../../metering/budgets/budget-ledger.ts';
import type { BreakerAnswer } from '../../resilience/breaker-board.ts';
import type { PermitDecision } from '../../resilience/rate-limiter.ts';

/** The time at which a concurrency slot opens is unknown; a second is a guess. */
const CONCURRENT_RETRY_MS = 1000;
const STORE_RETRY_MS = 5000;

export function limitedUntil(limit: ProviderLimit, now: number): SpillwayError {
  if (limit.kind === 'throttled') return throttled(Math.max(1, limit.resetAt - now), 'provider');
  const message = `${limit.provider} is limited`;
  // The record ends so that a probe finds out whether the credit was topped up; callers get no such time.
  if (limit.kind === 'credit')
    return new SpillwayError('AI_LIMIT_REACHED', message, { params: { reason: 'credit' } });
  return new SpillwayError('AI_LIMIT_REACHED', message, {
    params: { resetTime: limit.resetAt },
    resetAt: limit.resetAt,
  });
}

/** The circuit is open after failures or after a limit, until a probe succeeds. */
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

/** The provider's headers report little headroom: the call waits before it is sent. */
export function lowHeadroom(provider: string, retryAfterMs: number): SpillwayError {
  return new SpillwayError('RATE_LIMITED', `the headroom of ${provider} is low`, {
    params: { scope: 'system', retryAfterMs },
    retryAfterMs,
  });
}

/** The provider refused the account's credential a moment ago. */
export function credentialRefused(target: {
  readonly provider: string;
  readonly account: string;
}): SpillwayError {
  const { provider, account } = target;
  return new SpillwayError('AUTH_FAILED', `${provider} refuses the key of the account ${account}`);
}

/** The caller's deadline passed before the first attempt. */
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

/** `worstNanos`: the reservation that the request needed. */
export function budgetRefusal(
  decision: Exclude<BudgetDecision, { kind: 'reserved' }>,
  worstNanos: number,
): SpillwayError {
  if (decision.kind === 'unavailable')
    return new SpillwayError('CAPACITY_EXHAUSTED', 'budget store unavailable', {
      retryAfterMs: STORE_RETRY_MS,
    });
  const { scope, limitNanos, spentNanos, resetAt } = decision;
  const spent = { spent: nanosToUsd(spentNanos), limit: nanosToUsd(limitNanos) };
  const leftNanos = Math.max(0, limitNanos - spentNanos);
  // Money is left, and a request with a smaller maximum fits.
  const needed =
    worstNanos > leftNanos
      ? { remaining: nanosToUsd(leftNanos), reserved: nanosToUsd(worstNanos) }
      : {};
  const message = `the budget of the ${scope} does not cover the request`;
  return new SpillwayError('BUDGET_EXCEEDED', message, {
    params: { resetTime: resetAt, ...spent, ...needed },
    resetAt,
  });
}

function throttled(retryAfterMs: number, scope: 'organization' | 'system' | 'provider') {
  return new SpillwayError('RATE_LIMITED', `over a limit of the ${scope}`, {
    params: { scope, retryAfterMs },
    retryAfterMs,
  });
}

/** Limits of a key belong to its organisation; limits of a provider account belong to the system. */
function scopeOf(tier: string): 'organization' | 'system' {
  return tier === 'organization' || tier === 'key' ? 'organization' : 'system';
}
