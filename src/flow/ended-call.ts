// What is known of a call when it has ended, and the two things made of it: its usage record and its one
// line in the log. The line is an allow-list: no prompt, no provider text, no credential.

import type { SpillwayError } from '../errors/spillway-error.ts';
import type { Log } from '../kernel/log.ts';
import { nanosToUsd } from '../kernel/money.ts';
import type { Usage } from '../kernel/usage.ts';
import { type UsageRecord, usageRecordId } from '../metering/usage-record.ts';
import type { Target } from '../routing/target.ts';
import type { NativeRequest } from './native-request.ts';

export type EndedCall = {
  readonly target: Target;
  /** `OK`, an error code, or `CLIENT_GONE`. */
  readonly code: string;
  readonly usage: Usage;
  readonly isEstimated: boolean;
  readonly isStream: boolean;
  readonly latencyMs: number;
  readonly costNanos: number;
  readonly endedAt: number;
};

const LONGEST_LABEL = 200;

export function usageRecordOf(request: NativeRequest, call: EndedCall): UsageRecord {
  const { principal, headers } = request;
  return {
    ...call.usage,
    id: usageRecordId(request.id, 1),
    requestId: request.id,
    attempt: 1,
    organizationId: principal.organizationId,
    keyId: principal.keyId,
    userId: label(headers['x-user-id']),
    category: label(headers['x-category']),
    provider: call.target.provider,
    model: call.target.model,
    costNanos: call.costNanos,
    latencyMs: call.latencyMs,
    status: call.code,
    streamed: call.isStream,
    estimated: call.isEstimated,
    createdAt: call.endedAt,
  };
}

export function logEndedCall(
  log: Log,
  request: NativeRequest,
  call: EndedCall,
  error?: SpillwayError,
): void {
  log.write({
    level: error ? 'warn' : 'info',
    type: 'request',
    message: error ? error.message : 'served',
    requestId: request.id,
    metadata: {
      correlationId: request.correlationId,
      organizationId: request.principal.organizationId,
      keyId: request.principal.keyId,
      operation: request.route.operation,
      provider: call.target.provider,
      model: call.target.model,
      code: call.code,
      streamed: call.isStream,
      latencyMs: call.latencyMs,
      inputTokens: call.usage.inputTokens,
      outputTokens: call.usage.outputTokens,
      costUsd: nanosToUsd(call.costNanos),
    },
  });
}

/** A label chosen by the caller: kept as it is, up to a length. */
function label(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_LABEL) : undefined;
}
