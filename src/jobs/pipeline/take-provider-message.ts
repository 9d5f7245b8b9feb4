// From a delivery on a provider's queue to the job that the worker runs:
//
//   pointer ─ find the job and its message ─┐
//   message ─ organisation exists ─ store ──┴┬ waiting, same fence ──▶ the job and its message
//             (the same id is the same job)  ├ waiting, other fence ─▶ publish its current pointer, acknowledge
//                                            └ running or ended ─────▶ acknowledge; a redelivery publishes the result
//   unreadable, unknown organisation or unknown job ─▶ dead letter, acknowledge
//
// A message that Spillway's dispatcher has sent on has its pointer beside it and counts as a pointer.

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
import type { RecentJobs } from '../intake/recent-jobs.ts';
import { isHandedOver, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPointer } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { Delivery, DeliveryOutcome } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type PublishResult, republishResult } from './publish-result.ts';

export type ProviderMessageParts = IntakeParts & {
  readonly store: Pick<JobStore, 'create' | 'findWithMessage' | 'message'>;
  readonly history: Pick<JobHistory, 'result'>;
  /** Jobs that the dispatcher of this process has just stored. */
  readonly recent?: Pick<RecentJobs, 'take'> | undefined;
  /** Absent without a broker: the outbox then carries the result, and a redelivery has nothing to publish. */
  readonly publishResult?: PublishResult | undefined;
  /** Assigns the queue's provider and one of its models to a job that another system put on this queue. */
  readonly assignProvider?: ((job: Job) => Job) | undefined;
};

export type TakenJob =
  | { readonly kind: 'job'; readonly job: Job; readonly message: JobMessage }
  | { readonly kind: 'done'; readonly outcome: DeliveryOutcome };

const ACKNOWLEDGED: TakenJob = { kind: 'done', outcome: 'ack' };

export async function takeProviderMessage(
  parts: ProviderMessageParts,
  queue: string,
  delivery: Delivery,
): Promise<TakenJob> {
  const found = await findJob(parts, queue, delivery);
  if (found instanceof SpillwayError) {
    await bury(parts, queue, delivery, found);
    return ACKNOWLEDGED;
  }
  const { job, message, fence } = found;
  if (!isWaiting(job.state))
    return { kind: 'done', outcome: await outcomeOfClaimed(parts, found, delivery) };
  if (job.fence === fence) return { kind: 'job', job, message };
  // The current message of a handed-over job is on its provider queue, or with a foreign worker.
  if (!isHandedOver(job)) await publishPointer(parts, job);
  return ACKNOWLEDGED;
}

type FoundJob = {
  readonly job: Job;
  readonly message: JobMessage;
  /** The fence under which the delivered message was published. */
  readonly fence: number;
};

async function findJob(
  parts: ProviderMessageParts,
  queue: string,
  delivery: Delivery,
): Promise<FoundJob | SpillwayError> {
  const read = readDelivery(parts, delivery);
  if (read.kind !== 'pointer') return findForeign(parts, queue, read);
  const found = await findStored(parts, read.pointer);
  if (found) return found;
  return read.isCarried
    ? findForeign(parts, queue, readBody(parts, delivery))
    : unknownJob(read.pointer);
}

async function findForeign(
  parts: ProviderMessageParts,
  queue: string,
  read: ReadDelivery,
): Promise<FoundJob | SpillwayError> {
  if (read.kind === 'unreadable') return read.error;
  if (read.kind === 'pointer') return unknownJob(read.pointer);
  const job = await jobFromMessage(parts, queue, read.message);
  return job instanceof SpillwayError ? job : storeNew(parts, job, read.message);
}

async function findStored(
  { store, recent }: ProviderMessageParts,
  pointer: JobPointer,
): Promise<FoundJob | undefined> {
  const { jobId, fence } = pointer;
  const found = recent?.take(pointer) ?? (await store.findWithMessage(jobId));
  return found && { ...found, fence };
}

/**
 * Whatever state the job has reached since, the delivered message is the one under its first fence. For a job that was
 * handed over it stands for the current message: a foreign dispatcher has published it instead of Spillway's.
 */
async function storeNew(
  { store, assignProvider }: ProviderMessageParts,
  given: Job,
  message: JobMessage,
): Promise<FoundJob> {
  const { job, isNew } = await store.create(assignProvider?.(given) ?? given, message);
  const stored = isNew ? message : ((await store.message(job.id)) ?? {});
  return { job, message: stored, fence: isHandedOver(job) ? job.fence : given.fence };
}

/** The first worker may have died after the job ended and before it published the result. */
async function outcomeOfClaimed(
  { publishResult, history, clock }: ProviderMessageParts,
  { job, message }: FoundJob,
  { deliveries }: Delivery,
): Promise<DeliveryOutcome> {
  if (deliveries <= 1 || !publishResult) return 'ack';
  return republishResult(publishResult, { job, message, history, now: clock.now() });
}
