// A job's run: from what was asked for to what came out. It never throws for a call that failed. A stream that was cut
// after content is a failed run like any other, so that the job begins again; or the end of the job, as configured.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { toSpillwayError } from '../../errors/spillway-error.ts';
import type { JobRun, RunJob, RunOutcome } from '../../jobs/ports/job-runner.ts';
import { answerText } from '../../upstream/attempt/answer-text.ts';
import type { AttemptParts } from '../../upstream/attempt/attempt.ts';
import { callModel, type ModelAnswer } from '../call/call-model.ts';
import type { CallOrder } from '../call/call-order.ts';
import { permitOf } from '../pacing/worker-permit.ts';
import { type JobCallParts, planJob } from './plan-job.ts';

export type RunJobParts = JobCallParts & {
  /** What becomes of a job whose stream was cut after content. */
  readonly midStream: 'error' | 'restart';
};

export function createRunJob(given: RunJobParts): RunJob {
  const parts = { ...given, attempts: heldToContent(given.attempts) };
  return async (run, signal) => {
    let isBegun = false;
    function onOutput(text: string): void {
      isBegun = true;
      if (text !== '') run.reportPartial(text);
    }
    try {
      const order = await orderOf(parts, run, signal);
      const answer = await callModel(parts, order, signal, onOutput);
      return { kind: 'succeeded', result: resultOf(order, answer) };
    } catch (thrown) {
      const isFinal = isBegun && parts.midStream === 'error';
      return { ...failureOf(toSpillwayError(thrown)), isFinal };
    }
  };
}

/** Nobody waits for a status line, so what comes before content is kept back for as long as content takes. */
function heldToContent(attempts: AttemptParts): AttemptParts {
  const timeouts = { ...attempts.timeouts, holdStatusMs: Number.POSITIVE_INFINITY };
  return { ...attempts, timeouts };
}

async function orderOf(parts: JobCallParts, run: JobRun, signal: AbortSignal): Promise<CallOrder> {
  const { job, runId } = run;
  const { organizationId, userId, keyId = 'queue' } = job;
  const startedAtMs = parts.clock.monotonic();
  const permit = permitOf(run);
  return {
    id: runId,
    plan: await planJob(parts, run, permit?.account, signal),
    payer: { organizationId, keyId, userId, category: run.message.category },
    budget: await parts.budgetOwnerOf(organizationId, keyId),
    permit,
    isBackground: true,
    recordedUnder: { id: job.requestId ?? job.id },
    startedAtMs,
    deadlineAtMs: startedAtMs + parts.attempts.timeouts.totalMs,
  };
}

function resultOf(
  { plan }: CallOrder,
  { body, record }: ModelAnswer,
): Extract<RunOutcome, { kind: 'succeeded' }>['result'] {
  const response: unknown = JSON.parse(body.toString('utf8'));
  const format = plan.targets[0]?.format ?? 'openai';
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

/** What it means for the job, the job's own policy decides; here nothing of the provider's words is left. */
function failureOf(error: SpillwayError): Extract<RunOutcome, { kind: 'failed' }> {
  const { code, params, retryable, retryAfterMs, resetAt } = error;
  const verdict = {
    code,
    params,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetAt === undefined ? {} : { resetAt }),
  };
  return { kind: 'failed', verdict, internalMessage: error.message };
}
