// The span of an attempt, by OpenTelemetry's conventions for calls of a model.

import type { Clock } from '../../kernel/clock.ts';
import type { Span, Tracer } from '../../kernel/telemetry/tracer.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { Target } from '../../routing/target.ts';
import type { NativeOperation } from '../../upstream/native-route.ts';
import { OPERATION_NAMES } from './gen-ai-metrics.ts';

export type TracedAttempt = {
  readonly requestId: string;
  readonly parent: string | undefined;
  readonly operation: NativeOperation;
  readonly target: Target;
  readonly number: number;
};

export function startAttemptSpan(
  tracer: Tracer,
  clock: Pick<Clock, 'now'>,
  { requestId, parent, operation, target, number }: TracedAttempt,
): Span {
  const { provider, model, region, account } = target;
  const name = OPERATION_NAMES[operation];
  return tracer.start(`${name} ${model}`, {
    kind: 'client',
    parent,
    startedAt: clock.now(),
    attributes: {
      'gen_ai.operation.name': name,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'spillway.request.id': requestId,
      'spillway.attempt': number,
      'spillway.region': region,
      'spillway.account': account,
    },
  });
}

export function endAttemptSpan(span: Span, record: UsageRecord): void {
  span.set({
    'gen_ai.usage.input_tokens': record.inputTokens,
    'gen_ai.usage.output_tokens': record.outputTokens,
    'spillway.cost.usd': record.costNanos / 1e9,
    'spillway.estimated': record.estimated,
  });
  span.end(record.status === 'OK' ? undefined : record.status);
}
