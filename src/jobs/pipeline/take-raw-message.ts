// From a delivery on the raw queue to the job that the dispatcher routes:
//
//   pointer ─ find the job ─┬ waiting, same fence ──▶ the job
//                           ├ waiting, other fence ─▶ publish its current pointer, acknowledge
//                           └ running, ended, gone ─▶ acknowledge
//   message ─ organisation exists ──▶ a new job, stored with its first move: one write instead of two
//   unreadable, or unknown organisation ─▶ dead letter, acknowledge

import { SpillwayError } from '../../errors/spillway-error.ts';
import {
  bury,
  type IntakeParts,
  jobFromMessage,
  publishPointer,
  readDelivery,
} from '../intake/read-delivery.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPointer } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Delivery } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';

export type RawMessageParts = IntakeParts & { readonly store: Pick<JobStore, 'find'> };

export type RawJob = {
  readonly job: Job;
  /** The message of a new job, to be stored with it; absent for a stored job. */
  readonly unstored?: JobMessage;
};

/** Undefined if nothing is left to do but to acknowledge the delivery. */
export async function takeRawMessage(
  parts: RawMessageParts,
  queue: string,
  delivery: Delivery,
): Promise<RawJob | undefined> {
  const read = readDelivery(delivery);
  if (read.kind === 'pointer') return waitingJob(parts, read.pointer);
  if (read.kind === 'unreadable') return bury(parts, queue, delivery, read.error);
  const job = await jobFromMessage(parts, queue, read.message);
  if (job instanceof SpillwayError) return bury(parts, queue, delivery, job);
  return { job, unstored: read.message };
}

async function waitingJob(
  parts: RawMessageParts,
  { jobId, fence }: JobPointer,
): Promise<RawJob | undefined> {
  const job = await parts.store.find({ id: jobId });
  if (!job || !isWaiting(job.state)) return undefined;
  if (job.fence === fence) return { job };
  await publishPointer(parts, job);
  return undefined;
}
