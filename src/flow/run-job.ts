// A job's run: from what was asked for to what came out. It never throws for a call that failed.

import type { SpillwayError } from '../errors/spillway-error.ts';
import { toSpillwayError } from '../errors/spillway-error.ts';
import type { Job } from '../jobs/job.ts';
import type { JobMessage } from '../jobs/job-message.ts';
import type { JobRun, RunJob, RunOutcome } from '../jobs/job-runner.ts';
import { answerText } from '../upstream/answer-text.ts';
import { nativePath } from '../upstream/native-route.ts';
import { promptRequest } from '../upstream/prompt-request.ts';
import { requestHeaders } from '../upstream/request-headers.ts';
import { callModel, type ModelAnswer } from './call-model.ts';
import { type CallPlan, targetOf } from './plan-call.ts';
import { recordFailedRun } from './record-failure.ts';
import type { ServeParts } from './serve-request.ts';

const UNSTATED_OUTPUT_TOKENS = 4096;

export function createRunJob(parts: ServeParts): RunJob {
  return async (run, signal) => {
    const startedAtMs = parts.clock.monotonic();
    try {
      const plan = planJob(parts, run.job, run.message);
      const answer = await callModel(parts, plan, ownerOf(run), signal);
      return { kind: 'succeeded', result: resultOf(plan, answer) };
    } catch (thrown) {
      const error = toSpillwayError(thrown);
      if (!signal.aborted) recordFailedRun(parts, run, error, startedAtMs);
      return failureOf(error);
    }
  };
}

function planJob(parts: ServeParts, job: Job, message: JobMessage): CallPlan {
  const target = targetOf(parts.resolveModel, `${job.provider}/${job.model}`);
  const request = message.request
    ? withModel(message.request, target.format, target.model)
    : promptRequest(target.format, target.model, {
        text: message.prompt ?? '',
        images: message.images ?? [],
        maxOutputTokens: UNSTATED_OUTPUT_TOKENS,
      });
  return {
    target,
    isStream: false,
    isReasoning: parts.isReasoning(target.model),
    path: target.basePath + nativePath(target.format, target.model),
    headers: requestHeaders(target.format, target.apiKey, {}),
    body: Buffer.from(JSON.stringify(request)),
  };
}

/** Jobs are answered whole, so a stream that was asked for is not. Gemini has the model in the path. */
function withModel(
  request: Readonly<Record<string, unknown>>,
  format: CallPlan['target']['format'],
  model: string,
): Record<string, unknown> {
  const { stream: _stream, stream_options: _options, model: _model, ...rest } = request;
  return format === 'gemini' ? rest : { ...rest, model };
}

function ownerOf({ job, runId }: JobRun): Parameters<typeof callModel>[2] {
  const { organizationId, userId, keyId = 'queue' } = job;
  return { attemptId: runId, organizationId, keyId, userId };
}

function resultOf(
  { target }: CallPlan,
  { body, usage, costNanos }: ModelAnswer,
): Extract<RunOutcome, { kind: 'succeeded' }>['result'] {
  const response: unknown = JSON.parse(body.toString('utf8'));
  return {
    provider: target.provider,
    model: target.model,
    output: answerText(target.format, response),
    response,
    usage,
    costNanos,
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
