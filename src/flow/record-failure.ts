// Writes down what became of a call that failed, for operators. Only failures come here; a request that goes well
// costs nothing. What is written is bounded and redacted before it is kept.

import { readRawFailure } from '../errors/raw-failure.ts';
import type { Redact } from '../errors/redact.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { JobRun } from '../jobs/job-runner.ts';
import type { Clock } from '../kernel/clock.ts';
import { usageRecordId } from '../metering/usage-record.ts';
import type { Target } from '../routing/target.ts';
import type { FailedAttempt, RequestRecords } from '../upstream/request-records.ts';
import type { NativeRequest } from './native-request.ts';

export type FailureBook = { readonly records: RequestRecords; readonly redact: Redact };

/** What a flow has at hand; without a book nothing is written down. */
export type FailureParts = { readonly failures?: FailureBook | undefined; readonly clock: Clock };

export function recordFailedCall(
  { failures, clock }: FailureParts,
  request: NativeRequest,
  { provider, model }: Target,
  error: SpillwayError,
): void {
  if (!failures) return;
  const { id, correlationId, principal } = request;
  const { organizationId, keyId } = principal;
  const elapsedMs = clock.monotonic() - request.startedAtMs;
  failures.records.failed(
    { id, correlationId, organizationId, keyId },
    {
      id: usageRecordId(id, 1),
      ...spanOf(clock, elapsedMs),
      provider,
      model,
      ...whyOf(failures.redact, error),
    },
  );
}

/** Under the id of the request that handed the job in, and under the run's own. */
export function recordFailedRun(
  { failures, clock }: FailureParts,
  { job, runId }: JobRun,
  error: SpillwayError,
  startedAtMs: number,
): void {
  if (!failures) return;
  const { organizationId, keyId, provider, model } = job;
  failures.records.failed(
    { id: job.requestId ?? job.id, organizationId, keyId },
    {
      id: runId,
      ...spanOf(clock, clock.monotonic() - startedAtMs),
      provider,
      model,
      ...whyOf(failures.redact, error),
    },
  );
}

function spanOf(clock: Clock, elapsedMs: number): Pick<FailedAttempt, 'startedAt' | 'endedAt'> {
  const endedAt = clock.now();
  return { startedAt: endedAt - Math.round(elapsedMs), endedAt };
}

function whyOf(
  redact: Redact,
  error: SpillwayError,
): Pick<FailedAttempt, 'code' | 'reason' | 'raw'> {
  return {
    code: error.code,
    reason: redact(error.message.slice(0, LONGEST_REASON)),
    raw: readRawFailure(error.cause, redact),
  };
}

const LONGEST_REASON = 1000;
