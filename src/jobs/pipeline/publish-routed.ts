// Publishes a job that the dispatcher has routed. A provider queue of Spillway's own gets a pointer. A provider queue that
// foreign workers consume too gets the producer's message with the pointer beside it, which every worker can read. The job is
// then handed over, and its delivery is replaced by the message in one transaction of the broker.

import type { ErrorCode } from '../../errors/codes.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type FinalQueues, needsMessage } from '../model/final-messages.ts';
import { isHandedOver, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { delayed, routed } from '../model/job-moves.ts';
import { carriedMessageFor, delayMsOf, messageFor, pointersQueueOf } from '../model/job-pointer.ts';
import type { Delivery, JobQueue, PublishOptions } from '../ports/job-queue.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import type { RawJob } from './take-raw-message.ts';

export type RoutingParts = {
  readonly store: Pick<JobStore, 'message' | 'touch'>;
  /** Jobs are published here. */
  readonly queue: Pick<JobQueue, 'publish'>;
  /**
   * The queue for jobs that wait for a limit: at the end of a long raw queue they would miss their due time. Absent
   * where they return to the queue they came from.
   */
  readonly returningQueue?: string | undefined;
  readonly queues: FinalQueues;
  /** Whether foreign workers consume the provider queues too. */
  readonly sharesQueues?: boolean;
  readonly clock: Clock;
};

export type JobRoute = Parameters<typeof routed>[1] & {
  readonly waitCode?: ErrorCode | undefined;
  /** A configured delay, which foreign systems know too. */
  readonly fixedDelayMs?: number | undefined;
};

/** The message of a foreign job, if the carried message or the final messages of the job need it. */
export async function messageOf(
  { store, queues, sharesQueues = false }: RoutingParts,
  { job, unstored }: RawJob,
  purpose: 'routed' | 'final',
): Promise<JobMessage | undefined> {
  const isNeeded = purpose === 'final' ? needsMessage(job, queues) : sharesQueues;
  if (unstored || !isNeeded || job.origin === 'http') return unstored;
  return store.message(job.id);
}

/** On a shared queue a job can only wait for a fixed delay; for any other it waits in front of the dispatcher. */
export function routeOf(
  { sharesQueues, returningQueue, clock }: RoutingParts,
  job: Job,
  message: JobMessage | undefined,
  route: JobRoute,
): JobMove {
  const now = clock.now();
  if (!sharesQueues || job.origin === 'http') return routed(job, route, now);
  const { runAt = now, waitCode: code, fixedDelayMs } = route;
  if (runAt > now && code && fixedDelayMs === undefined)
    return delayed(job, { until: runAt, code, costsAttempt: false, queue: returningQueue }, now);
  if (message?.source) return routed(job, { ...route, isHandedOver: true }, now);
  return routed(job, { ...route, queue: pointersQueueOf(route.queue) }, now);
}

export type RoutedJob = {
  readonly job: Job;
  readonly message: JobMessage | undefined;
  /** The delivery that the job came from. */
  readonly delivery: Delivery;
  readonly fixedDelayMs?: number | undefined;
};

export async function publishRouted(parts: RoutingParts, routedJob: RoutedJob): Promise<void> {
  const { job, message, delivery } = routedJob;
  const { queue, store, clock } = parts;
  const options = optionsOf(routedJob, clock);
  const carried = isHandedOver(job) ? carriedMessageFor(job, message?.source) : undefined;
  if (!carried) return queue.publish(job.queue, messageFor(job), options);
  if (delivery.replaceBy) await delivery.replaceBy(job.queue, carried, options);
  else await queue.publish(job.queue, carried, options);
  // Best effort: the record only keeps a repeated delivery from publishing the message again.
  await store.touch(job.id, job.fence, { leaseUntil: clock.now() }).catch(() => false);
}

function optionsOf({ job, fixedDelayMs }: RoutedJob, clock: Clock): PublishOptions {
  if (fixedDelayMs === undefined) return { delayMs: delayMsOf(job, clock.now()) };
  return { delayMs: fixedDelayMs, isFixedDelay: true };
}
