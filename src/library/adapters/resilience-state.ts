// The state that policies of `spillway/resilience` share: in one process, or on Redis for all processes. One type for both, so
// that a program changes the entry it imports and nothing else.

import type { BreakerBoard, CircuitTransition } from '../../resilience/breaker-board.ts';
import { BREAKER_DEFAULTS, type BreakerRules } from '../../resilience/circuit-breaker.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';
import {
  RETRY_BUDGET_DEFAULTS,
  type RetryBudget,
  type RetryBudgetRules,
} from '../../resilience/retry-budget.ts';

/**
 * The ports of the policies.
 *
 * @example
 * import { openMemory, type ResilienceState } from 'spillway/adapters/memory';
 * import { circuitBreaker } from 'spillway/resilience';
 *
 * const state: ResilienceState = await openMemory();
 * export const breaker = circuitBreaker({ board: state.breakers, key: { provider: 'search', region: 'eu' } });
 * await state.close();
 */
export type ResilienceState = {
  /** For `rateLimit`. */
  readonly rateLimiter: RateLimiter;
  /** For `circuitBreaker`. */
  readonly breakers: BreakerBoard;
  /** For `retry`. */
  readonly retryBudget: RetryBudget;
  /** Whether the state is shared with the other processes now. */
  isShared(): boolean;
  /** Idempotent. */
  close(): Promise<void>;
};

/**
 * The rules of the state.
 *
 * @example
 * import type { ResilienceRules } from 'spillway/adapters/memory';
 *
 * export const rules: ResilienceRules = { breaker: { failures: 3 }, retryBudget: { perRequest: 0.2 } };
 */
export type ResilienceRules = {
  readonly breaker?: Partial<BreakerRules>;
  readonly retryBudget?: Partial<RetryBudgetRules>;
  /** The longest duration of a call: a probe that has not ended by then is given to the next call. 60 s by default. */
  readonly probeMs?: number;
  readonly onTransition?: (transition: CircuitTransition) => void;
};

const DEFAULT_PROBE_MS = 60_000;

export function breakerParts({ breaker, probeMs, onTransition }: ResilienceRules) {
  return {
    rules: { ...BREAKER_DEFAULTS, ...breaker },
    newProbeId: () => crypto.randomUUID(),
    longestCallMs: probeMs ?? DEFAULT_PROBE_MS,
    onTransition: onTransition ?? (() => {}),
  };
}

export function budgetRules({ retryBudget }: ResilienceRules): RetryBudgetRules {
  return { ...RETRY_BUDGET_DEFAULTS, ...retryBudget };
}
