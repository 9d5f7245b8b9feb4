// A job's run: from what was asked for to what came out. It never throws for a call that failed.

import type { SpillwayError } from '../errors/spillway-error.ts';
import { toSpillwayError } from '../errors/spillway-error.ts';
import type { JobMessage } from '../jobs/job-message.ts';
import type { JobRun, RunJob, RunOutcome } from '../jobs/job-runner.ts';
import { answerText } from '../upstream/answer-text.ts';
import { callModel, type ModelAnswer } from './call-model.ts';
import type { CallOrder } from './call-order.ts';
import { type JobCallParts, planJob } from './plan-job.ts';
import { permitOf } from './worker-permit.ts';

export function createRunJob(parts: JobCallParts): RunJob {
  return async (run, signal) => {
    try {
      const order = await orderOf(parts, run, signal);
      const answer = await callModel(parts, order, signal);
      return { kind: 'succeeded', result: resultOf(order, answer) };
    } catch (thrown) {
      return failureOf(toSpillwayError(thrown));
    }
  };
}

async function orderOf(parts: JobCallParts, run: JobRun, signal: AbortSignal): Promise<CallOrder> {
  const { job, runId } = run;
  const { organizationId, userId, keyId = 'queue' } = job;
  const startedAtMs = parts.clock.monotonic();
  const permit = permitOf(run);
  return {
    id: runId,
    plan: await planJob(parts, run, permit?.account, signal),
    payer: { organizationId, keyId, userId, category: categoryOf(run.message) },
    budget: await parts.budgetOwnerOf(organizationId, keyId),
    permit,
    isBackground: true,
    recordedUnder: { id: job.requestId ?? job.id },
    startedAtMs,
    deadlineAtMs: startedAtMs + parts.attempts.timeouts.totalMs,
  };
}

/** What a request said of itself when it was queued. */
function categoryOf({ native }: JobMessage): string | undefined {
  return native?.headers['x-category'];
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
function failureOf(error: SpillwayError): RunOutcome {
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
