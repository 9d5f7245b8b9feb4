// Runs operations at the rate that limits allow, exactly: no span of a window's length has more admissions than its limit.
// The limiter counts in this process or, on Redis, for all processes. One decision covers all limits of an operation and
// takes from all of them or from none.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, foregroundClock, sleep } from '../../kernel/clock.ts';
import type { Limit, PermitAsk, PermitDecision, RateLimiter } from '../rate-limiter.ts';
import { checkNumbers } from './checked-options.ts';
import { attempt, type Operation, type Policy } from './policy.ts';

/**
 * The options of `rateLimit`.
 *
 * @example
 * import { openMemory } from 'spillway/adapters/memory';
 * import { rateLimit, type RateLimitOptions } from 'spillway/resilience';
 *
 * const { rateLimiter: limiter, close } = await openMemory();
 * const options: RateLimitOptions = {
 *   limiter,
 *   limits: [{ tier: 'provider', subject: 'search', kind: 'requests', max: 100, windowMs: 60_000 }],
 * };
 * console.log(await rateLimit(options)(() => 'found'));
 * await close();
 */
export type RateLimitOptions = {
  readonly limiter: Pick<RateLimiter, 'take' | 'settle'>;
  readonly limits: readonly Limit[];
  /** Tokens reserved from limits that count tokens; 0 by default. */
  readonly tokens?: number;
  /** The tokens that a result has used; by default the reserved ones. */
  readonly tokensOf?: (result: unknown) => number;
  /** How long an operation may wait for its permit; 0 by default: it is refused at once. */
  readonly maxWaitMs?: number;
  /** When the slot of a process that died is free again; 10 minutes by default. */
  readonly expiresMs?: number;
  readonly clock?: Clock;
};

/**
 * Takes a permit of every limit before the operation runs. Without one it waits up to `maxWaitMs`, then it is refused with
 * RATE_LIMITED and the true time to come back.
 *
 * @example
 * import { openMemory } from 'spillway/adapters/memory';
 * import { rateLimit } from 'spillway/resilience';
 *
 * const { rateLimiter: limiter, close } = await openMemory();
 * const limits = [{ tier: 'provider', subject: 'search', kind: 'requests', max: 100, windowMs: 60_000 }] as const;
 * const paced = rateLimit({ limiter, limits, maxWaitMs: 2000 });
 * console.log(await paced(() => 'found'));
 * await close();
 */
export function rateLimit(options: RateLimitOptions): Policy {
  checkNumbers('rateLimit', options, RULES);
  const { limiter, limits, tokens = 0, maxWaitMs = 0, clock = foregroundClock } = options;
  const { tokensOf = () => tokens, expiresMs = DEFAULT_EXPIRES_MS } = options;

  function take(ask: PermitAsk): Promise<PermitDecision> {
    return new Promise((resolve) => limiter.take(ask, resolve));
  }

  async function admit(signal: AbortSignal | undefined): Promise<PermitAsk> {
    const until = clock.monotonic() + maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const ask: PermitAsk = { id: crypto.randomUUID(), limits, tokens, expiresMs };
      const decision = await take(ask);
      if (decision.isAllowed) return ask;
      const { retryAfterMs } = decision;
      if (retryAfterMs === undefined || clock.monotonic() + retryAfterMs > until)
        throw refusal(decision);
      await sleep(clock, retryAfterMs, signal);
    }
  }

  async function run<T>(ask: PermitAsk, operation: Operation<T>, signal?: AbortSignal): Promise<T> {
    let used = tokens;
    try {
      const result = await attempt(operation, signal);
      used = tokensOf(result);
      return result;
    } finally {
      limiter.settle(ask, used);
    }
  }

  return async (operation, signal) => run(await admit(signal), operation, signal);
}

const DEFAULT_EXPIRES_MS = 600_000;

const RULES = {
  tokens: { min: 0, isWhole: true },
  maxWaitMs: { min: 0 },
  expiresMs: { min: 1 },
};

function refusal(decision: Extract<PermitDecision, { isAllowed: false }>): SpillwayError {
  const { retryAfterMs, binding } = decision;
  if (retryAfterMs === undefined)
    return new SpillwayError('REQUEST_TOO_LARGE', 'one operation is larger than the whole limit', {
      params: binding ? { limit: binding.limit.max } : {},
    });
  return new SpillwayError('RATE_LIMITED', 'the rate limit is reached', {
    params: { scope: 'system', retryAfterMs },
    retryAfterMs,
  });
}
