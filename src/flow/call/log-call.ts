// The log entries of a call: one when it ends, with its metrics, and one for each retry, refused provider credential and
// usage limit. Every entry is an allow-list: no prompt, no provider text, no credential.

import type { Principal } from '../../admission/principal.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Log } from '../../kernel/log.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { RetryDecision } from '../../resilience/retry-policy.ts';
import type { Target } from '../../routing/target.ts';
import type { NativeRoute } from '../../upstream/native-route.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallPlan } from './plan-call.ts';

export type EndedRequest = {
  readonly request: {
    readonly id: string;
    readonly correlationId: string | undefined;
    readonly principal: Pick<Principal, 'organizationId' | 'keyId'>;
    readonly route: Pick<NativeRoute, 'operation'>;
  };
  readonly plan: CallPlan;
  /** Of the last attempt; undefined when none was sent. */
  readonly record: UsageRecord | undefined;
  readonly error: SpillwayError | undefined;
  readonly attempts: number;
  readonly latencyMs: number;
};

export function logEndedRequest(log: Log, metrics: CallMetrics, ended: EndedRequest): void {
  const { request, plan, record, error, attempts, latencyMs } = ended;
  const [first] = plan.targets;
  const provider = record?.provider ?? first?.provider ?? 'none';
  const model = record?.model ?? first?.model ?? plan.requestedModel;
  const code = error?.code ?? record?.status ?? 'CLIENT_GONE';
  metrics.ended(provider, model, code, latencyMs, record);
  log.write({
    level: error ? 'warn' : 'info',
    type: 'request',
    message: error ? error.message : 'served',
    requestId: request.id,
    metadata: {
      correlationId: request.correlationId,
      organizationId: request.principal.organizationId,
      keyId: request.principal.keyId,
      userId: record?.userId,
      operation: request.route.operation,
      provider,
      model,
      code,
      attempts,
      streamed: plan.isStream,
      latencyMs,
      inputTokens: record?.inputTokens ?? 0,
      outputTokens: record?.outputTokens ?? 0,
      costUsd: nanosToUsd(record?.costNanos ?? 0),
    },
  });
}

export function logFailedAttempt(
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

export function logRetry(
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
