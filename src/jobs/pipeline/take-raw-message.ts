// From a delivery on the raw queue to the job that the dispatcher routes:
//
//   pointer ─ find the job ─┬ waiting, same fence ──▶ the job
//                           ├ waiting, other fence ─▶ publish its current pointer, acknowledge
//                           ├ handed over ──────────▶ the job again, if its message may not have been published
//                           └ running or ended ─────▶ acknowledge
//   message ─ organisation exists ──▶ a new job, stored with its first move: one write instead of two
//   unreadable, unknown organisation or unknown job ─▶ dead letter, acknowledge

import { SpillwayError } from '../../errors/spillway-error.ts';
import {
  bury,
  type IntakeParts,
  jobFromMessage,
  publishPointer,
  type ReadDelivery,
  readBody,
  readDelivery,
  unknownJob,
} from '../intake/read-delivery.ts';
import { isHandedOver, type Job } from '../model/job.ts';
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
  /** Whether the job is routed already and only its message has to be published. */
  readonly isRouted?: boolean;
};

/** Undefined if the delivery only has to be acknowledged. */
export async function takeRawMessage(
  parts: RawMessageParts,
  queue: string,
  delivery: Delivery,
): Promise<RawJob | undefined> {
  const read = readDelivery(parts, delivery);
  if (read.kind !== 'pointer') return newRawJob(parts, queue, delivery, read);
  const job = await parts.store.find({ id: read.pointer.jobId });
  if (job) return storedJob(parts, job, read.pointer, delivery);
  if (!read.isCarried) return bury(parts, queue, delivery, unknownJob(read.pointer));
  return newRawJob(parts, queue, delivery, readBody(parts, delivery));
}

async function newRawJob(
  parts: RawMessageParts,
  queue: string,
  delivery: Delivery,
  read: ReadDelivery,
): Promise<RawJob | undefined> {
  if (read.kind === 'unreadable') return bury(parts, queue, delivery, read.error);
  if (read.kind === 'pointer') return bury(parts, queue, delivery, unknownJob(read.pointer));
  const job = await jobFromMessage(parts, queue, read.message);
  if (job instanceof SpillwayError) return bury(parts, queue, delivery, job);
  return { job, unstored: read.message };
}

async function storedJob(
  parts: RawMessageParts,
  job: Job,
  { fence }: JobPointer,
  delivery: Delivery,
): Promise<RawJob | undefined> {
  if (!isWaiting(job.state)) return undefined;
  const isCurrent = job.fence === fence;
  if (isHandedOver(job))
    // A message with the current fence was moved back here from its provider queue.
    return isCurrent || isUnpublished(job, delivery) ? { job, isRouted: true } : undefined;
  if (isCurrent) return { job };
  await publishPointer(parts, job);
  return undefined;
}

/**
 * A dispatcher that dies before the broker's transaction leaves its delivery to another one. So a repeated delivery of a job
 * without a known commit stands for a message that is not published yet.
 */
function isUnpublished(job: Job, { deliveries }: Delivery): boolean {
  return job.leaseUntil === undefined && deliveries > 1;
}

/**
 * A broker that was killed redelivers messages that were acknowledged shortly before, and marks them as redelivered.
 */
export function isPublished(job: Job, { deliveries }: Delivery): boolean {
  return job.leaseUntil !== undefined && deliveries > 1;
}
