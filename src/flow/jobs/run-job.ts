// Runs a job: from its message to its result or failure. It does not throw for a failed call. A stream that is cut after
// content is a failed run, so that the job starts over, or fails the job, as configured.

import { providerErrorType } from '../../errors/provider-error-type.ts';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { FailedRun, JobRun, RunJob, RunOutcome } from '../../jobs/ports/job-runner.ts';
import { isNestedTooDeeply } from '../../kernel/json-depth.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import type { Span } from '../../kernel/telemetry/tracer.ts';
import { answerText } from '../../upstream/attempt/answer-text.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt-call.ts';
import { answerFormat, callModel, type ModelAnswer } from '../call/call-model.ts';
import { type CallOrder, deadlinesOf } from '../call/call-order.ts';
import { startRunSpan } from '../telemetry/job-spans.ts';
import { type JobCallParts, planJob } from './plan-job.ts';

export type RunJobParts = JobCallParts & {
  /** Whether a stream that is cut after content fails the job or starts it over. */
  readonly midStream: 'error' | 'restart';
};

export function createRunJob(given: RunJobParts): RunJob {
  const parts = { ...given, attempts: untilContent(given.attempts) };
  return async (run, signal) => {
    const span = parts.tracer && startRunSpan(parts.tracer, parts.clock, run);
    let hasContent = false;
    function onOutput(text: string): void {
      hasContent = true;
      if (text !== '') run.reportPartial(text);
    }
    try {
      const order = await orderOf(parts, run, signal, span);
      const answer = await callModel(parts, order, signal, onOutput);
      const result = await resultOf(order, answer);
      span?.end();
      return { kind: 'succeeded', result };
    } catch (thrown) {
      const isFinal = hasContent && parts.midStream === 'error';
      const error = toSpillwayError(thrown);
      span?.end(error.code);
      return { ...failureOf(error), isFinal };
    }
  };
}

/** No caller waits for a status line, so the attempt may be repeated until its first content. */
function untilContent(attempts: AttemptParts): AttemptParts {
  const timeouts = { ...attempts.timeouts, holdStatusMs: Number.POSITIVE_INFINITY };
  return { ...attempts, timeouts };
}

async function orderOf(
  parts: JobCallParts,
  run: JobRun,
  signal: AbortSignal,
  span: Span | undefined,
): Promise<CallOrder> {
  const { job, runId, permit } = run;
  const { organizationId, userId, keyId = 'queue' } = job;
  const startedAtMs = parts.clock.monotonic();
  const plan = await planJob(parts, run, permit?.account);
  await turnAfter(plan.body.length);
  const budget = await parts.budgetOwnerOf(organizationId, keyId);
  await permit?.waitForTurn(signal);
  return {
    id: runId,
    plan,
    payer: { organizationId, keyId, userId, category: run.message.category },
    budget,
    permit,
    isBackground: true,
    recordedUnder: { id: job.requestId ?? job.id },
    traceParent: span?.traceParent,
    startedAtMs,
    ...deadlinesOf(plan, startedAtMs, undefined, parts.attempts.timeouts),
  };
}

/** Other work runs between the steps on a large answer. */
async function resultOf(
  { plan }: CallOrder,
  { body, record }: ModelAnswer,
): Promise<Extract<RunOutcome, { kind: 'succeeded' }>['result']> {
  await turnAfter(body.length);
  const response = await parseAnswer(body.toString('utf8'));
  await turnAfter(body.length);
  const format = answerFormat(plan);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = record;
  const { cacheWrite1hTokens, reasoningTokens } = record;
  return {
    provider: record.provider,
    model: record.model,
    output: answerText(format, response),
    response,
    usage: {
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens,
      reasoningTokens,
    },
    costNanos: record.costNanos,
  };
}

/** A result is stored and published as JSON, so an answer that cannot be written again is a failure of the provider. */
async function parseAnswer(text: string): Promise<unknown> {
  if (isNestedTooDeeply(text))
    throw new SpillwayError('PROVIDER_UNAVAILABLE', 'the answer is nested too deeply', {
      params: { reason: 'error' },
    });
  await turnAfter(text.length);
  return JSON.parse(text);
}

/** The job's policy decides what follows; the verdict contains no provider text. */
export function failureOf(error: SpillwayError): FailedRun {
  const { code, params, retryable, retryAfterMs, resetAt } = error;
  const verdict = {
    code,
    params,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetAt === undefined ? {} : { resetAt }),
  };
  const errorType = providerErrorType(error.cause);
  return {
    kind: 'failed',
    verdict,
    internalMessage: error.message,
    ...(errorType === undefined ? {} : { providerErrorType: errorType }),
  };
}
