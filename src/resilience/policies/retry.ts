// Retries an operation by the rules of retry-policy.ts: the error says whether a retry can repair it and how long to wait,
// the rules bound the number of retries and the sum of delays, and a retry budget keeps retries from multiplying the load
// of an outage. The last error reaches the caller unchanged.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, foregroundClock, sleep } from '../../kernel/clock.ts';
import type { RetryBudget } from '../retry-budget.ts';
import {
  afterRetry,
  decideRetry,
  NOTHING_REPEATED,
  RETRY_DEFAULTS,
  type RepeatableFailure,
  type RetryDecision,
  type RetryHistory,
  type RetryRules,
  repeatableFailure,
} from '../retry-policy.ts';
import { checkNumbers } from './checked-options.ts';
import { attempt, type Policy } from './policy.ts';
import { type ReadError, readFailure } from './read-failure.ts';

/**
 * The options of `retry`; each has a default.
 *
 * @example
 * import type { RetryOptions } from 'spillway/resilience';
 *
 * export const options: RetryOptions = { maxRetries: 2, baseMs: 200, maxWaitMs: 5000 };
 */
export type RetryOptions = Partial<Omit<RetryRules, 'maxInteractiveWaitMs'>> & {
  /** The maximum number of retries of one call, over all kinds of failures; each kind also has its own bound. */
  readonly maxRetries?: number;
  /** The bound on the sum of all delays of one call: 10 s. A longer stated delay ends the retries. */
  readonly maxWaitMs?: number;
  /** A budget for all calls of one scope: see `createMemoryRetryBudget` and `openRedis`. */
  readonly budget?: Pick<RetryBudget, 'deposit' | 'take'>;
  /** The name under which calls share the budget. */
  readonly scope?: string;
  readonly readError?: ReadError;
  /** Called before each delay. */
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly clock?: Clock;
};

/**
 * One retry that is about to happen.
 *
 * @example
 * import { retry, type RetryNotice } from 'spillway/resilience';
 *
 * const report = ({ number, waitMs }: RetryNotice) => console.log(`retry ${number} in ${waitMs} ms`);
 * export const reported = retry({ onRetry: report });
 */
export type RetryNotice = {
  readonly error: SpillwayError;
  /** Counted from 1, over all kinds of failures. */
  readonly number: number;
  readonly waitMs: number;
};

/**
 * Retries failures that a retry can repair: throttles, overloads, server errors, lost connections. A stated delay is obeyed,
 * otherwise the delay grows exponentially with jitter. Timeouts are not retried unless `timeoutRetries` is set: the server
 * may have done the work.
 *
 * @example
 * import { retry } from 'spillway/resilience';
 *
 * const patient = retry({ maxRetries: 3 });
 * const answer = await patient(async (signal) => {
 *   const response = await fetch('http://127.0.0.1:8787/health', { signal });
 *   if (!response.ok) throw response;
 *   return response.json();
 * });
 * console.log(answer);
 */
export function retry(options: RetryOptions = {}): Policy {
  checkNumbers('retry', options, RULES);
  const { clock = foregroundClock, readError = readFailure, budget, scope = 'default' } = options;
  const rules = {
    ...RETRY_DEFAULTS,
    ...definedOnly(options),
    maxInteractiveWaitMs: options.maxWaitMs ?? RETRY_DEFAULTS.maxInteractiveWaitMs,
  };

  function decide(error: SpillwayError, history: RetryHistory): RetryDecision {
    const bounds = options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries };
    return decideRetry(rules, error, history, {
      now: clock.now(),
      deadlineAt: Number.POSITIVE_INFINITY,
      random: clock.random(),
      kindOf,
      ...bounds,
    });
  }

  return async (operation, signal) => {
    budget?.deposit(scope);
    let history = NOTHING_REPEATED;
    for (let number = 1; ; number += 1) {
      try {
        return await attempt(operation, signal);
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        const error = readError(thrown, clock.now());
        const decision = decide(error, history);
        if (decision.kind === 'give_up' || !(await isPaid(budget, scope))) throw thrown;
        const { waitMs } = decision;
        options.onRetry?.({ error, number, waitMs });
        await sleep(clock, waitMs, signal);
        history = afterRetry(history, decision);
      }
    }
  };
}

/** Besides the failures of a provider, the retryable refusals of Spillway itself: its limits, its capacity, a conflict. */
function kindOf(error: SpillwayError): RepeatableFailure | undefined {
  const known = repeatableFailure(error);
  if (known !== undefined || !error.retryable) return known;
  return error.params.reason === 'credit' ? undefined : 'throttled';
}

function isPaid(budget: RetryOptions['budget'], scope: string): Promise<boolean> {
  return new Promise((resolve) => (budget ? budget.take(scope, resolve) : resolve(true)));
}

/** An option that is set to undefined keeps its default. */
function definedOnly(options: RetryOptions): Partial<RetryRules> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const COUNT = { min: 0, isWhole: true };
const DURATION = { min: 0 };
const RULES = {
  maxRetries: COUNT,
  throttledRetries: COUNT,
  overloadedRetries: COUNT,
  errorRetries: COUNT,
  networkRetries: COUNT,
  timeoutRetries: COUNT,
  baseMs: DURATION,
  overloadedBaseMs: DURATION,
  maxMs: DURATION,
  maxWaitMs: DURATION,
  jitter: { min: 0, max: 1 },
};
