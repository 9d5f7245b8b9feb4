// The public entry `spillway/resilience`: policies with one call shape, for any call that can fail. No Node API, no
// driver and no I/O, so that they also run in a browser. Shared state comes through ports; their adapters are separate
// entries.

export { type Clock, foregroundClock } from '../kernel/clock.ts';
export type {
  BreakerBoard,
  BreakerState,
  BreakerView,
  CallHealth,
  CircuitTransition,
} from './breaker-board.ts';
export { BREAKER_DEFAULTS, type BreakerRules } from './circuit-breaker.ts';
export type { CircuitKey } from './circuit-key.ts';
export { type Bulkhead, type BulkheadOptions, bulkhead } from './policies/bulkhead.ts';
export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  circuitBreaker,
  type OwnCircuitOptions,
  type SharedCircuitOptions,
} from './policies/circuit-breaker.ts';
export { compose, type Operation, type Policy } from './policies/policy.ts';
export { type RateLimitOptions, rateLimit } from './policies/rate-limit.ts';
export { type ReadError, readFailure } from './policies/read-failure.ts';
export { type RetryNotice, type RetryOptions, retry } from './policies/retry.ts';
export { type TimeoutOptions, timeout } from './policies/timeout.ts';
export type { Limit, LimitKind, LimitStanding, LimitTier, RateLimiter } from './rate-limiter.ts';
export {
  RETRY_BUDGET_DEFAULTS,
  type RetryBudget,
  type RetryBudgetRules,
} from './retry-budget.ts';
export { RETRY_DEFAULTS, type RetryRules } from './retry-policy.ts';
