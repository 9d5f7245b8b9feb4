// From a delivery on a provider's queue to the job that the worker runs:
//
//   pointer ─ find the job and its message ─┐
//   message ─ organisation exists ─ store ──┴┬ waiting, same fence ──▶ the job and its message
//             (the same id is the same job)  ├ waiting, other fence ─▶ publish its current pointer, acknowledge
//                                            ├ running or ended ─────▶ acknowledge; a redelivery publishes the result
//                                            └ gone ─────────────────▶ acknowledge
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
import type { JobHistory } from '../ports/job-history.ts';
import type { Delivery, DeliveryOutcome } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type PublishResult, republishResult } from './publish-result.ts';

export type ProviderMessageParts = IntakeParts & {
  readonly store: Pick<JobStore, 'create' | 'find' | 'message'>;
  readonly history: Pick<JobHistory, 'result'>;
  /** Absent without a broker: the outbox then carries the result, and a redelivery has nothing to publish. */
  readonly publishResult?: PublishResult | undefined;
  /** Gives a job that another system put on this queue the queue's provider and a model of it. */
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
  if (found instanceof SpillwayError) await bury(parts, queue, delivery, found);
  if (!found || found instanceof SpillwayError) return ACKNOWLEDGED;
  const { job, message, fence } = found;
  if (!isWaiting(job.state))
    return { kind: 'done', outcome: await outcomeOfClaimed(parts, job, delivery) };
  if (job.fence === fence) return { kind: 'job', job, message };
  await publishPointer(parts, job);
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
): Promise<FoundJob | SpillwayError | undefined> {
  const read = readDelivery(delivery);
  if (read.kind === 'unreadable') return read.error;
  if (read.kind === 'pointer') return findStored(parts, read.pointer);
  const job = await jobFromMessage(parts, queue, read.message);
  return job instanceof SpillwayError ? job : storeNew(parts, job, read.message);
}

async function findStored(
  { store }: ProviderMessageParts,
  { jobId, fence }: JobPointer,
): Promise<FoundJob | undefined> {
  const [job, message = {}] = await Promise.all([store.find({ id: jobId }), store.message(jobId)]);
  return job && { job, message, fence };
}

/** Whatever state the job has reached since, the delivered message is the one under its first fence. */
async function storeNew(
  { store, assignProvider }: ProviderMessageParts,
  given: Job,
  message: JobMessage,
): Promise<FoundJob> {
  const { job, isNew } = await store.create(assignProvider?.(given) ?? given, message);
  const stored = isNew ? message : ((await store.message(job.id)) ?? {});
  return { job, message: stored, fence: given.fence };
}

/** The first worker may have died after the job ended and before it published the result. */
async function outcomeOfClaimed(
  { publishResult, history, clock }: ProviderMessageParts,
  job: Job,
  { deliveries }: Delivery,
): Promise<DeliveryOutcome> {
  if (deliveries <= 1 || !publishResult) return 'ack';
  return republishResult(publishResult, { job, history, now: clock.now() });
}
