// Fetches the images of a job before its run, outside the worker's slot, without a permit and without a lease. It ends
// when the job is cancelled in this process, at the job's deadline and when the worker closes.

import type { Clock } from '../../kernel/clock.ts';
import type { Job } from '../model/job.ts';
import type { OutsideSlot } from '../ports/job-queue.ts';
import type { BusyPreparation, Preparation, PrepareJob } from '../ports/job-runner.ts';
import type { RunningJobs } from './running-jobs.ts';

export type PrepareParts = {
  readonly running: Pick<RunningJobs, 'begin' | 'stop'>;
  readonly clock: Clock;
  readonly closing?: AbortSignal;
};

export async function prepareRun(
  { running, clock, closing }: PrepareParts,
  job: Job,
  preparing: NonNullable<ReturnType<PrepareJob>>,
  outsideSlot: OutsideSlot,
): Promise<Preparation | BusyPreparation> {
  if (preparing.kind === 'busy') return preparing;
  const handle = running.begin(job.id);
  const leftMs = job.deadlineAt === undefined ? undefined : job.deadlineAt - clock.now();
  const cancelDeadline =
    leftMs === undefined ? undefined : clock.after(leftMs, () => running.stop(job.id, 'deadline'));
  const signal = closing ? AbortSignal.any([handle.signal, closing]) : handle.signal;
  try {
    return await outsideSlot(() => preparing.fetch(signal));
  } finally {
    cancelDeadline?.();
    handle.end();
  }
}
