// The log entries of a call: one when it ends, with its metrics, and one for each retry, refused provider credential
// and usage limit. Every entry is an allow-list: no provider text, no credential, and of the prompt at most the preview
// that an organisation has allowed.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import { providerErrorType } from '../../errors/provider-error-type.ts';
import type { Redact } from '../../errors/redact.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Log } from '../../kernel/log.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import { parseTraceParent, type Tracer } from '../../kernel/telemetry/tracer.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { RetryDecision } from '../../resilience/retry-policy.ts';
import type { Target } from '../../routing/target.ts';
import type { NativeRoute } from '../../upstream/native-route.ts';
import { readLabel } from '../serve/native-request.ts';
import type { PerformanceLog } from '../telemetry/performance-log.ts';
import { promptPreview } from '../telemetry/prompt-preview.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallPlan } from './plan-call.ts';

type LogParts = {
  readonly log: Log;
  readonly metrics: CallMetrics;
  readonly performance?: PerformanceLog | undefined;
  readonly failures?: { readonly redact: Redact };
  readonly tracer?: Tracer | undefined;
};

export type EndedRequest = {
  readonly request: {
    readonly id: string;
    readonly correlationId: string | undefined;
    readonly principal: Pick<Principal, 'organizationId' | 'keyId' | 'allowPromptPreview'>;
    readonly headers: IncomingHttpHeaders;
    readonly route: Pick<NativeRoute, 'operation'>;
  };
  readonly plan: CallPlan;
  /** Of the last attempt; undefined when none was sent. */
  readonly record: UsageRecord | undefined;
  readonly error: SpillwayError | undefined;
  readonly attempts: number;
  readonly latencyMs: number;
};

export function logEndedRequest(parts: LogParts, ended: EndedRequest): void {
  const { log, metrics, performance } = parts;
  const { request, plan, record, error, attempts, latencyMs } = ended;
  const [first] = plan.targets;
  const provider = record?.provider ?? first?.provider ?? 'none';
  const model = record?.model ?? first?.model ?? plan.requestedModel;
  const code = error?.code ?? record?.status ?? 'CLIENT_GONE';
  metrics.ended(plan.operation, provider, model, code, latencyMs, record, limitScopeOf(error));
  log.write({
    level: error ? 'warn' : 'info',
    type: 'request',
    message: error ? error.message : 'served',
    requestId: request.id,
    metadata: {
      correlationId: request.correlationId,
      traceId: parts.tracer && parseTraceParent(request.headers['traceparent'])?.traceId,
      organizationId: request.principal.organizationId,
      keyId: request.principal.keyId,
      userId: record?.userId ?? readLabel(request.headers['x-user-id']),
      operation: request.route.operation,
      provider,
      model,
      code,
      providerErrorType: error && providerErrorType(error.cause),
      attempts,
      streamed: plan.isStream,
      latencyMs,
      inputTokens: record?.inputTokens ?? 0,
      outputTokens: record?.outputTokens ?? 0,
      costUsd: nanosToUsd(record?.costNanos ?? 0),
      promptPreview: request.principal.allowPromptPreview ? previewOf(parts, plan) : undefined,
    },
  });
  if (performance === undefined || latencyMs < performance.slowRequestMs) return;
  const streamed = plan.isStream;
  performance.slowRequest({
    requestId: request.id,
    latencyMs,
    provider,
    model,
    attempts,
    streamed,
  });
}

/** Credentials within the prompt are removed. */
function previewOf({ failures }: LogParts, { body }: CallPlan): string | undefined {
  const preview = promptPreview(body);
  return preview && failures ? failures.redact(preview) : preview;
}

/** The scope of the rate limit that refused the call; undefined for any other end. */
export function limitScopeOf(error: SpillwayError | undefined): string | undefined {
  if (error?.code !== 'RATE_LIMITED') return undefined;
  const { scope } = error.params;
  return typeof scope === 'string' ? scope : 'system';
}

/** Like a lesson, the log states no limit and no refused key by the words of a caller that the provider quotes. */
export function logFailedAttempt(
  log: Log,
  requestId: string,
  { provider, region, account }: Target,
  error: SpillwayError,
  now: number,
): void {
  const { lesson = error } = error;
  if (error.code === 'AUTH_FAILED') {
    const isOfKey = lesson.code === 'AUTH_FAILED' && error.lesson?.isScopeBound !== true;
    log.write({
      level: isOfKey ? 'critical' : 'warn',
      type: 'error',
      message: isOfKey
        ? `${provider} refuses our credentials: check the key of the account ${account}`
        : `${provider} refused a request for a permission or credential that it names`,
      requestId,
      metadata: {
        provider,
        account,
        code: error.code,
        providerErrorType: providerErrorType(error.cause),
      },
    });
  }
  if (error.code !== 'AI_LIMIT_REACHED' || lesson.code !== error.code) return;
  const { resetAt } = lesson;
  log.write({
    level: 'warn',
    type: 'ai_limit',
    message: `${provider} has reached its usage limit`,
    requestId,
    metadata: {
      provider,
      region,
      ...resetFields(resetAt, now),
      providerErrorType: providerErrorType(error.cause),
      hasErrorDetails: error.cause !== undefined,
    },
  });
}

/** The reset of a limit in the fields that operators filter by; empty if it is unknown. */
export function resetFields(resetAt: number | undefined, now: number): object {
  if (resetAt === undefined) return {};
  return {
    resetTime: resetAt,
    resetTimeISO: new Date(resetAt).toISOString(),
    timeUntilReset: Math.max(0, resetAt - now),
  };
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
    metadata: {
      code: error.code,
      providerErrorType: providerErrorType(error.cause),
      retry: number,
      maxRetries: most,
      waitMs,
    },
  });
}
