// A model's answer as a value, for work that nobody's open connection waits for: a job's run.

import type { SpillwayError } from '../errors/spillway-error.ts';
import type { UsageRecord } from '../metering/usage-record.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { ModelCall } from './model-call.ts';

export type ModelAnswer = { readonly body: Buffer; readonly record: UsageRecord };

/** Resolves when the usage is in the journal; rejects with a SpillwayError, or with the signal's reason. */
export function callModel(
  parts: CallParts,
  order: CallOrder,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const call = new ModelCall(parts, order, {
      onAnswer: (body, _contentType, record) => finish(record, () => resolve({ body, record })),
      onComplete: (body, _contentType, record) => finish(record, () => resolve({ body, record })),
      onEvents: () => true,
      onFailed: (error, record) => finish(record, () => reject(error), error),
    });
    function onAbort(): void {
      call.abandon((record) => finish(record, () => reject(signal.reason)));
    }
    function finish(
      record: UsageRecord | undefined,
      settle: () => void,
      error?: SpillwayError,
    ): void {
      signal.removeEventListener('abort', onAbort);
      tell(parts, order, record, error);
      settle();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    call.start();
  });
}

function tell(
  { metrics, clock }: CallParts,
  { plan, startedAtMs }: CallOrder,
  record: UsageRecord | undefined,
  error: SpillwayError | undefined,
): void {
  const [target] = plan.targets;
  const provider = record?.provider ?? target?.provider ?? 'none';
  const model = record?.model ?? target?.model ?? plan.requestedModel;
  const code = error?.code ?? record?.status ?? 'CLIENT_GONE';
  metrics.ended(provider, model, code, Math.round(clock.monotonic() - startedAtMs), record);
}
