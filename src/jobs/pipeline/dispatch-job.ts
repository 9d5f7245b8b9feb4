// The dispatcher: takes a job from the raw queue, has a provider chosen for it and publishes it to that provider's queue,
// immediately or with the delay that the provider's limit requires:
//
//   delivery ▶ job ▶ due and within its deadline ▶ choose a provider ▶ move ▶ publish ▶ acknowledge
//
// A crash between two steps duplicates a message and loses none. Where the provider's queue is shared with foreign
// workers, which do not know duplicates, publishing and acknowledging form one transaction of the broker. Another
// system's message is stored together with its job's first move. Several deliveries are processed at once, but
// providers are chosen, and pointers published, in the order of delivery.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import { sleep } from '../../kernel/clock.ts';
import { cacheKnownOrganizations } from '../intake/known-organizations.ts';
import { publishPointer } from '../intake/read-delivery.ts';
import { withFinalMessages } from '../model/final-messages.ts';
import { isHandedOver, isOverdue, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { delayed, expired, failed } from '../model/job-moves.ts';
import { delayMsOf } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import { messageOf, publishRouted, type RoutingParts, routeOf } from './publish-routed.ts';
import { createSequencer, type Ticket } from './sequencer.ts';
import {
  isPublished,
  type RawJob,
  type RawMessageParts,
  takeRawMessage,
} from './take-raw-message.ts';

export type ProviderChoice =
  /** `runAt` and `waitCode` are set if the job has to wait on the provider's queue. */
  | {
      readonly kind: 'route';
      readonly provider: string;
      readonly queue: string;
      readonly model?: string | undefined;
      readonly runAt?: number | undefined;
      readonly waitCode?: ErrorCode | undefined;
      /** A configured delay that is the same for all messages, kept where other systems look for delayed messages. */
      readonly fixedDelayMs?: number | undefined;
      /** Releases the job's permit if the job is not routed after all. */
      readonly releasePermit?: (() => void) | undefined;
    }
  /** No provider can take the job yet; the dispatcher asks again at that time. */
  | { readonly kind: 'wait'; readonly until: number; readonly code: ErrorCode }
  /** No decision is possible yet: the delivery stays in memory, and no further one is accepted. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** No provider will ever take the job: unknown model, provider without a key. */
  | { readonly kind: 'refuse'; readonly verdict: Verdict };

/** When `closing` aborts while it waits, it resolves to `stay`. */
export type ChooseProvider = (job: Job, closing?: AbortSignal) => Promise<ProviderChoice>;

export type DispatcherParts = RawMessageParts &
  RoutingParts & {
    readonly store: Pick<JobStore, 'create' | 'find' | 'move' | 'message' | 'touch'>;
    /** Jobs are consumed from here. */
    readonly source: Pick<JobQueue, 'consume'>;
    readonly chooseProvider: ChooseProvider;
    readonly rawQueue: string;
    readonly concurrency?: number;
    /** Called for every published job, for the log and traces. */
    readonly onDispatched?: (dispatched: DispatchedJob) => void;
  };

export type DispatchedJob = {
  readonly job: Job;
  /** Undefined while no provider can take the job. */
  readonly provider: string | undefined;
  readonly delayMs: number;
  /** `clock.now()` at the delivery. */
  readonly deliveredAt: number;
};

/** A delivery's tickets in the order of delivery, and the signal that stops it early. */
type Passage = {
  readonly deciding: Ticket;
  readonly publishing: Ticket;
  readonly closing: AbortSignal;
  /** Called when the provider is chosen: storing and publishing need no slot. */
  readonly releaseSlot: () => void;
};

const DEFAULT_CONCURRENCY = 1;

/** Runs until it is closed; closing finishes the deliveries in progress. */
export function startDispatcher(given: DispatcherParts): Consumer {
  const organizationExists = cacheKnownOrganizations(given.organizationExists, given.clock);
  const parts = { ...given, organizationExists };
  const concurrency = parts.concurrency ?? DEFAULT_CONCURRENCY;
  const closing = new AbortController();
  const [decide, publish] = [createSequencer(), createSequencer()];
  const finishing = concurrency > 1 ? concurrency : 0;
  const options = { concurrency, finishing, isTransactional: parts.sharesQueues === true };
  const consumer = parts.source.consume(parts.rawQueue, options, (delivery, releaseSlot) => {
    const places = { deciding: decide(), publishing: publish() };
    const passage = { ...places, closing: closing.signal, releaseSlot };
    return dispatch(parts, delivery, passage).finally(() => leave(passage));
  });
  return {
    close() {
      closing.abort();
      return consumer.close();
    },
  };
}

function leave({ deciding, publishing }: Passage): void {
  deciding.done();
  publishing.done();
}

async function dispatch(
  parts: DispatcherParts,
  delivery: Delivery,
  passage: Passage,
): Promise<DeliveryOutcome> {
  const taken = await takeRawMessage(parts, parts.rawQueue, delivery);
  if (!taken) return 'ack';
  const { job } = taken;
  const deliveredAt = parts.clock.now();
  if (taken.isRouted) {
    await publishRouted(parts, { job, message: await parts.store.message(job.id), delivery });
    return 'ack';
  }
  const now = parts.clock.now();
  const waitMs = delayMsOf(job, now);
  if (waitMs > 0) return { retryAfterMs: waitMs, isUncounted: true };
  if (isOverdue(job, now)) {
    const message = await messageOf(parts, taken, 'final');
    const end = (read: Job) => withFinalMessages(expired(read, now), parts.queues, message);
    await write(parts, taken, delivery, end);
    return 'ack';
  }
  await passage.deciding.turn;
  const deciding = decide(parts, job, passage.closing);
  // The requests are answered in the order they were made, so the next one may be made while this one waits.
  passage.deciding.done();
  const choice = await deciding;
  if (choice.kind === 'stay') return { retryAfterMs: choice.afterMs, isUncounted: true };
  passage.releaseSlot();
  await route(parts, taken, choice, { delivery, deliveredAt, publishing: passage.publishing });
  return 'ack';
}

/** While no decision is possible the delivery waits here: returning it to the queue would be a busy loop. */
async function decide(
  parts: DispatcherParts,
  job: Job,
  closing: AbortSignal,
): Promise<ProviderChoice> {
  for (;;) {
    const choice = await parts.chooseProvider(job, closing);
    if (choice.kind !== 'stay' || closing.aborted) return choice;
    await sleep(parts.clock, choice.afterMs, closing).catch(() => {});
  }
}

type Decision = Exclude<ProviderChoice, { kind: 'stay' }>;

type Routing = {
  readonly delivery: Delivery;
  readonly publishing: Ticket;
  readonly deliveredAt: number;
};

async function route(
  parts: DispatcherParts,
  taken: RawJob,
  choice: Decision,
  { delivery, publishing, deliveredAt }: Routing,
): Promise<void> {
  const purpose = choice.kind === 'refuse' ? 'final' : 'routed';
  const message = await messageOf(parts, taken, purpose);
  const moveOf = (read: Job) => moveFor(parts, read, message, choice);
  const moved = await write(parts, taken, delivery, moveOf);
  if (!moved && choice.kind === 'route') choice.releasePermit?.();
  if (!moved || !isWaiting(moved.state)) return;
  await publishing.turn;
  const fixedDelayMs = choice.kind === 'route' ? choice.fixedDelayMs : undefined;
  const published = publishRouted(parts, { job: moved, message, delivery, fixedDelayMs });
  // A channel keeps the order of its messages, so the next one may be sent before this one is confirmed.
  publishing.done();
  await published;
  const provider = choice.kind === 'route' ? choice.provider : undefined;
  const delayMs = fixedDelayMs ?? delayMsOf(moved, parts.clock.now());
  parts.onDispatched?.({ job: moved, provider, delayMs, deliveredAt });
}

/** The job to publish; undefined if it had moved before, and then nothing is written. */
async function write(
  parts: DispatcherParts,
  { job, unstored }: RawJob,
  delivery: Delivery,
  moveOf: (read: Job) => JobMove,
): Promise<Job | undefined> {
  const move = moveOf(job);
  if (!unstored) return parts.store.move(move);
  const events = [{ type: 'submitted' } as const, ...move.events];
  const { moved } = move;
  const created = await parts.store.create(moved, unstored, move.outbox, events);
  if (created.isNew) return moved;
  const known = created.job;
  // A job at its first fence was stored by a worker that died before it claimed it: this message still stands for it.
  if (known.fence === job.fence) return parts.store.move(moveOf(known));
  // A producer may repeat a message deliberately, after a failure that Spillway cannot see.
  if (isHandedOver(known)) return isPublished(known, delivery) ? undefined : known;
  if (isWaiting(known.state)) await publishPointer(parts, known);
  return undefined;
}

function moveFor(
  parts: DispatcherParts,
  job: Job,
  message: JobMessage | undefined,
  choice: Decision,
): JobMove {
  const now = parts.clock.now();
  switch (choice.kind) {
    case 'route':
      return routeOf(parts, job, message, choice);
    case 'wait':
      return delayed(job, { ...choice, costsAttempt: false, queue: parts.returningQueue }, now);
    case 'refuse':
      return withFinalMessages(failed(job, choice, now), parts.queues, message);
    default:
      return choice satisfies never;
  }
}
