// One call to one target on behalf of nobody's open connection: a job's run. The same attempt, meter and
// learning of limits as an interactive request has; the answer comes as a value.

import { SpillwayError } from '../errors/spillway-error.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import { type UsageRecord, usageRecordId } from '../metering/usage-record.ts';
import { Attempt, type AttemptCall } from '../upstream/attempt.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { CallPlan } from './plan-call.ts';
import { learnLimit, refuseWhileLimited } from './provider-limit.ts';
import type { ServeParts } from './serve-request.ts';

/** For whom the call is made; it names the usage record. */
export type CallOwner = {
  /** Unique for this attempt for ever: the usage record is named after it. */
  readonly attemptId: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
};

export type ModelAnswer = {
  readonly body: Buffer;
  readonly usage: Usage;
  readonly costNanos: number;
};

/** Resolves when the usage is in the journal; rejects with a SpillwayError. */
export async function callModel(
  parts: ServeParts,
  plan: CallPlan,
  owner: CallOwner,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { target } = plan;
  refuseWhileLimited(parts.limits, target);
  const startedAtMs = parts.clock.monotonic();
  const settle = (code: string, usage: Usage, isEstimated: boolean): Promise<number> => {
    const latencyMs = Math.round(parts.clock.monotonic() - startedAtMs);
    const costNanos = parts.meter.costNanos(target.provider, target.model, usage);
    parts.metrics.ended(target.provider, target.model, code, latencyMs, usage, costNanos);
    const record: UsageRecord = {
      ...usage,
      ...owner,
      id: usageRecordId(owner.attemptId, 1),
      requestId: owner.attemptId,
      attempt: 1,
      category: undefined,
      provider: target.provider,
      model: target.model,
      costNanos,
      latencyMs,
      status: code,
      streamed: false,
      estimated: isEstimated,
      createdAt: parts.clock.now(),
    };
    return new Promise((resolve) => parts.meter.record(record, () => resolve(costNanos)));
  };
  try {
    const { body, reported } = await attempt(parts, plan, signal);
    const usage = reported ?? estimateUsage(undefined, plan.body, body.length);
    return { body, usage, costNanos: await settle('OK', usage, reported === undefined) };
  } catch (error) {
    if (!(error instanceof SpillwayError)) {
      await settle('CLIENT_GONE', estimateUsage(undefined, plan.body, 0), true);
      throw error;
    }
    learnLimit(parts.limits, target, error, parts.serverId, parts.clock.now());
    await settle(error.code, NO_USAGE, false);
    throw error;
  }
}

type Answered = { readonly body: Buffer; readonly reported: Usage | undefined };

function attempt(parts: ServeParts, call: AttemptCall, signal: AbortSignal): Promise<Answered> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const made = new Attempt(parts.attempts, call, {
      onAnswer: (body, _contentType, reported) => finish(() => resolve({ body, reported })),
      onComplete: (body) => finish(() => resolve({ body, reported: made.streamUsage() })),
      onEvents: () => true,
      onFailed: (error) => finish(() => reject(error)),
    });
    function onAbort(): void {
      made.abort(new Error('the job was stopped'));
      reject(signal.reason);
    }
    function finish(settle: () => void): void {
      signal.removeEventListener('abort', onAbort);
      settle();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    made.start();
  });
}
