// A request's one line in the log and its numbers, when it has ended. The line is an allow-list: no prompt, no provider
// text, no credential.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Log } from '../../kernel/log.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallPlan } from './plan-call.ts';

export type EndedRequest = {
  readonly request: NativeRequest;
  readonly plan: CallPlan;
  /** Of its last attempt; absent when no provider was asked. */
  readonly record: UsageRecord | undefined;
  readonly error: SpillwayError | undefined;
  readonly attempts: number;
  readonly latencyMs: number;
};

const MAX_LABEL = 200;

export function tellEnded(log: Log, metrics: CallMetrics, ended: EndedRequest): void {
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

/** A label chosen by the caller: kept as it is, up to a length. */
export function readLabel(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_LABEL) : undefined;
}
