// What operators are told of calls besides their one line each: a provider's limit was reached, our credentials were
// refused, a call is repeated. Allow-lists, like every line: never a word of the provider's.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Log } from '../../kernel/log.ts';
import type { RetryDecision } from '../../resilience/retry-policy.ts';
import type { Target } from '../../routing/target.ts';

export function tellFailure(
  log: Log,
  requestId: string,
  { provider, region, account }: Target,
  error: SpillwayError,
  now: number,
): void {
  if (error.code === 'AUTH_FAILED') {
    log.write({
      level: 'critical',
      type: 'error',
      message: `${provider} refuses our credentials: check the key of the account ${account}`,
      requestId,
      metadata: { provider, account, code: error.code },
    });
  }
  if (error.code !== 'AI_LIMIT_REACHED') return;
  const { resetAt } = error;
  log.write({
    level: 'warn',
    type: 'ai_limit',
    message: `${provider} has reached its usage limit`,
    requestId,
    metadata: {
      provider,
      region,
      resetTime: resetAt,
      resetTimeISO: resetAt === undefined ? undefined : new Date(resetAt).toISOString(),
      timeUntilReset: resetAt === undefined ? undefined : Math.max(0, resetAt - now),
      hasErrorDetails: error.cause !== undefined,
    },
  });
}

export function tellRetry(
  log: Log,
  requestId: string,
  error: SpillwayError,
  { number, most, waitMs }: Extract<RetryDecision, { kind: 'retry' }>,
): void {
  log.write({
    level: 'info',
    type: 'request',
    message: `retry ${number} of ${most}`,
    requestId,
    metadata: { code: error.code, retry: number, maxRetries: most, waitMs },
  });
}
