// The dispatcher: takes jobs from the raw queue, has a provider chosen for each, and puts it on that provider's
// queue, at once or after the wait that the provider's limit asks for. The order is always: move the job, publish
// its next message, acknowledge this one. A crash in between duplicates a message and loses nothing.

import type { ErrorCode, Verdict } from '../errors/codes.ts';
import { ending } from './end-job.ts';
import type { FinalQueues } from './final-message.ts';
import type { Job } from './job.ts';
import { expired, failed, postponed, routed } from './job-moves.ts';
import { delayMsOf, messageFor } from './job-pointer.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from './job-queue.ts';
import type { JobMove, JobStore } from './job-store.ts';
import { type TakeParts, takeMessage } from './take-message.ts';

/** Where a job is to go. `runAt` and `waitCode` say that it has to wait there, and why. */
export type ProviderChoice =
  | {
      readonly kind: 'route';
      readonly provider: string;
      readonly queue: string;
      readonly model?: string | undefined;
      readonly runAt?: number | undefined;
      readonly waitCode?: ErrorCode | undefined;
    }
  /** Nobody can take it before then: it is asked about again. */
  | { readonly kind: 'wait'; readonly until: number; readonly code: ErrorCode }
  /** Nobody will ever take it: an unknown model, a provider without a key. */
  | { readonly kind: 'refuse'; readonly verdict: Verdict };

export type ChooseProvider = (job: Job) => Promise<ProviderChoice>;

export type DispatcherParts = TakeParts & {
  readonly store: Pick<JobStore, 'create' | 'find' | 'move'>;
  readonly queue: Pick<JobQueue, 'publish' | 'consume'>;
  readonly chooseProvider: ChooseProvider;
  readonly rawQueue: string;
  readonly queues: FinalQueues;
  readonly concurrency?: number;
};

/** One at a time keeps the order of other systems' messages; with a broker more may be worth it. */
const DEFAULT_CONCURRENCY = 1;

/** Runs until it is closed; closing finishes what was begun. */
export function startDispatcher(parts: DispatcherParts): Consumer {
  const concurrency = parts.concurrency ?? DEFAULT_CONCURRENCY;
  return parts.queue.consume(parts.rawQueue, { concurrency }, (delivery) =>
    dispatch(parts, delivery),
  );
}

export async function dispatch(
  parts: DispatcherParts,
  delivery: Delivery,
): Promise<DeliveryOutcome> {
  const taken = await takeMessage(parts, parts.rawQueue, delivery);
  if (!taken.job) return taken.outcome;
  const { job } = taken;
  const now = parts.clock.now();
  const waitMs = delayMsOf(job, now);
  // Early copies go back to sleep; asking for a provider now would be asking twice.
  if (waitMs > 0) return { retryAfterMs: waitMs };
  const move = isOverdue(job, now)
    ? ending(job, expired(job, now), parts.queues)
    : await moveFor(parts, job);
  const moved = await parts.store.move(move);
  if (moved && (moved.state === 'queued' || moved.state === 'delayed')) await pass(parts, moved);
  return 'ack';
}

function isOverdue(job: Job, now: number): boolean {
  return job.deadlineAt !== undefined && job.deadlineAt <= now;
}

async function moveFor(parts: DispatcherParts, job: Job): Promise<JobMove> {
  const choice = await parts.chooseProvider(job);
  const now = parts.clock.now();
  switch (choice.kind) {
    case 'route':
      return routed(job, choice, now);
    case 'wait':
      return postponed(job, { ...choice, costsAttempt: false }, now);
    case 'refuse':
      return ending(job, failed(job, choice, now), parts.queues);
    default:
      return choice satisfies never;
  }
}

async function pass(parts: DispatcherParts, job: Job): Promise<void> {
  const delayMs = delayMsOf(job, parts.clock.now());
  await parts.queue.publish(job.queue, messageFor(job), { delayMs });
}
