// Supervises one run of a job: renews its lease, aborts it at its deadline, on cancellation or when its fence has changed,
// and stores its output so far once a second. A runner that throws fails the run with INTERNAL.

import { toSpillwayError } from '../../errors/spillway-error.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { Job } from '../model/job.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { JobRun, RunJob, RunOutcome } from '../ports/job-runner.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { RunHandle, RunningJobs, StopReason } from './running-jobs.ts';

export type SuperviseParts = {
  readonly store: Pick<JobStore, 'touch'>;
  readonly history: Pick<JobHistory, 'savePartial'>;
  readonly running: Pick<RunningJobs, 'stop'>;
  readonly runJob: RunJob;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

export type SupervisedRun =
  | { readonly kind: 'ended'; readonly outcome: RunOutcome }
  | { readonly kind: 'stopped'; readonly reason: StopReason };

const PARTIAL_INTERVAL_MS = 1000;

export async function superviseRun(
  parts: SuperviseParts,
  job: Job,
  { message, permit, images }: Pick<JobRun, 'message' | 'permit' | 'images'>,
  handle: Pick<RunHandle, 'signal' | 'stopReason'>,
): Promise<SupervisedRun> {
  const keeper = keepAlive(parts, job);
  const partials = keepPartials(parts, job);
  const run: JobRun = {
    job,
    message,
    runId: `${job.id}.${job.run}`,
    permit,
    images,
    reportPartial: (output) => partials.report(output),
  };
  try {
    const outcome = await attempt(parts, run, handle.signal);
    const reason = handle.stopReason();
    // A success that coincides with a stop is stored; if the job has moved, the fence refuses it.
    if (outcome.kind === 'succeeded' || !reason) return { kind: 'ended', outcome };
    return { kind: 'stopped', reason };
  } finally {
    await Promise.all([keeper.close(), partials.close()]);
  }
}

async function attempt(
  { runJob, log }: SuperviseParts,
  run: JobRun,
  signal: AbortSignal,
): Promise<RunOutcome> {
  try {
    return await runJob(run, signal);
  } catch (thrown) {
    const { code, params, retryable, message: internalMessage } = toSpillwayError(thrown);
    if (!signal.aborted) logJobFailure(log, run.job, 'the runner of a job threw', thrown);
    return { kind: 'failed', verdict: { code, params, retryable }, internalMessage };
  }
}

type Closeable = { close(): Promise<void> };

/** Renews the lease three times per lease duration, and stops the run at the job's deadline. */
function keepAlive({ store, running, leaseMs, clock, log }: SuperviseParts, job: Job): Closeable {
  let renewing: Promise<void> | undefined;
  let cancelRenewal = clock.after(leaseMs / 3, renew);
  const cancelDeadline = watchDeadline();

  function renew(): void {
    cancelRenewal = clock.after(leaseMs / 3, renew);
    renewing ??= store
      .touch(job.id, job.fence, { leaseUntil: clock.now() + leaseMs })
      .then((isOurs) => void (isOurs || running.stop(job.id, 'moved')))
      // While the store is unavailable no other worker can claim the job either.
      .catch((cause) => logJobFailure(log, job, 'the lease of a job could not be renewed', cause))
      .finally(() => {
        renewing = undefined;
      });
  }

  function watchDeadline(): CancelTimer {
    if (job.deadlineAt === undefined) return () => {};
    const leftMs = Math.max(0, job.deadlineAt - clock.now());
    return clock.after(leftMs, () => running.stop(job.id, 'deadline'));
  }

  return {
    async close() {
      cancelRenewal();
      cancelDeadline();
      await renewing;
    },
  };
}

/** Stores the latest output at most once a second, and the last one when the run ends. */
function keepPartials({ history, clock, log }: SuperviseParts, job: Job) {
  let latest: string | undefined;
  let cancelTimer: CancelTimer | undefined;
  let saving = Promise.resolve();

  function save(): void {
    cancelTimer = undefined;
    const output = latest;
    if (output === undefined) return;
    latest = undefined;
    saving = saving
      .then(() => history.savePartial(job.id, job.run, output, clock.now()))
      .catch((cause) =>
        logJobFailure(log, job, 'partial output of a job could not be stored', cause),
      );
  }

  return {
    report(output: string): void {
      latest = output;
      cancelTimer ??= clock.after(PARTIAL_INTERVAL_MS, save);
    },
    async close(): Promise<void> {
      cancelTimer?.();
      save();
      await saving;
    },
  };
}

function logJobFailure(log: Log, job: Job, message: string, cause: unknown): void {
  logFailure(log, message, cause, { metadata: { jobId: job.id } });
}
