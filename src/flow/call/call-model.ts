// Calls a model and resolves with its answer, for the run of a job, which has no open connection to a caller. A stream is
// assembled into a unary body; `onOutput` gets the text as it arrives.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import { createStreamGatherer } from '../../upstream/gather/gather-stream.ts';
import { TranslatedListener } from '../translate/translated-listener.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { limitScopeOf } from './log-call.ts';
import { ModelCall } from './model-call.ts';
import type { ModelCallListener } from './model-call-listener.ts';

export type ModelAnswer = { readonly body: Buffer; readonly record: UsageRecord };

/** Called for every part of a stream from its first content on; the text may still be empty. */
export type OnOutput = (text: string) => void;

/** Resolves when the usage is in the journal; rejects with a SpillwayError, or with the signal's reason. */
export function callModel(
  parts: CallParts,
  order: CallOrder,
  signal: AbortSignal,
  onOutput: OnOutput,
): Promise<ModelAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const { translation } = order.plan;
    const format = answerFormat(order.plan);
    const gatherer = createStreamGatherer(format, parts.attempts.maxAnswerBytes);
    const listener: ModelCallListener = {
      onAnswer: succeed,
      onEvents(bytes) {
        if (gatherer.push(bytes)) onOutput(gatherer.text());
        else call.abandon((record) => fail(lost('the answer is too large'), record));
        return true;
      },
      onComplete(lastBytes, contentType, record) {
        gatherer.push(lastBytes);
        const body = gatherer.body();
        if (!body) return fail(lost('the stream contains no answer'), record);
        onOutput(gatherer.text());
        succeed(body, contentType, record);
      },
      onFailed: fail,
    };
    const call: ModelCall = new ModelCall(
      parts,
      order,
      translation ? new TranslatedListener(listener, translation, () => call) : listener,
    );
    function onAbort(): void {
      call.abandon((record) => finish(record, () => reject(signal.reason)));
    }
    function succeed(body: Buffer, _contentType: string, record: UsageRecord): void {
      finish(record, () => resolve({ body, record }));
    }
    function fail(error: SpillwayError, record: UsageRecord | undefined): void {
      finish(record, () => reject(error), error);
    }
    function finish(
      record: UsageRecord | undefined,
      settle: () => void,
      error?: SpillwayError,
    ): void {
      signal.removeEventListener('abort', onAbort);
      countCall(parts, order, record, error);
      settle();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    call.start();
  });
}

/** The format of the request that the plan serves. */
export function answerFormat({ translation, targets }: CallOrder['plan']): ProviderFormat {
  return translation?.format ?? targets[0]?.format ?? 'openai';
}

function lost(reason: string): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', reason, { params: { phase: 'lost' } });
}

function countCall(
  { metrics, clock }: CallParts,
  { plan, startedAtMs }: CallOrder,
  record: UsageRecord | undefined,
  error: SpillwayError | undefined,
): void {
  const [target] = plan.targets;
  const provider = record?.provider ?? target?.provider ?? 'none';
  const model = record?.model ?? target?.model ?? plan.requestedModel;
  const code = error?.code ?? record?.status ?? 'CLIENT_GONE';
  const latencyMs = Math.round(clock.monotonic() - startedAtMs);
  const scope = limitScopeOf(error);
  metrics.ended(plan.operation, provider, model, code, latencyMs, record, scope);
}
