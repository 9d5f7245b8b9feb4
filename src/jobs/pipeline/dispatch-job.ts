// The dispatcher: takes a job from the raw queue, has a provider chosen for it and publishes it to that provider's queue,
// immediately or with the delay that the provider's limit requires:
//
//   delivery ▶ job ▶ due and within its deadline ▶ choose a provider ▶ move ▶ publish ▶ acknowledge
//
// A crash between two steps duplicates a message and loses none. Another system's message is stored together with its
// job's first move. Several deliveries are processed at once, but providers are chosen, and pointers published, in the
// order of delivery.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import { sleep } from '../../kernel/clock.ts';
import { cacheKnownOrganizations } from '../intake/known-organizations.ts';
import { publishPointer } from '../intake/read-delivery.ts';
import { type FinalQueues, withFinalMessages } from '../model/final-messages.ts';
import { isOverdue, type Job } from '../model/job.ts';
import { delayed, expired, failed, routed } from '../model/job-moves.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import { createSequencer, type Ticket } from './sequencer.ts';
import { type RawJob, type RawMessageParts, takeRawMessage } from './take-raw-message.ts';

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
      /** Releases the permit that was taken for the job, if the job is not routed after all. */
      readonly releasePermit?: (() => void) | undefined;
    }
  /** No provider can take the job before then; the dispatcher asks again. */
  | { readonly kind: 'wait'; readonly until: number; readonly code: ErrorCode }
  /** No decision is possible yet: the delivery stays in memory, and no further one is accepted. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** No provider will ever take the job: unknown model, provider without a key. */
  | { readonly kind: 'refuse'; readonly verdict: Verdict };

/** When `closing` aborts while it waits, it resolves to `stay`. */
export type ChooseProvider = (job: Job, closing?: AbortSignal) => Promise<ProviderChoice>;

export type DispatcherParts = RawMessageParts & {
  readonly store: Pick<JobStore, 'create' | 'find' | 'move'>;
  /** Jobs are published here. */
  readonly queue: Pick<JobQueue, 'publish'>;
  /** Jobs are consumed from here. */
  readonly source: Pick<JobQueue, 'consume'>;
  readonly chooseProvider: ChooseProvider;
  readonly rawQueue: string;
  /**
   * The queue for jobs that wait for a limit: at the end of a long raw queue they would miss their due time. Absent
   * where they return to the queue they came from.
   */
  readonly returningQueue?: string | undefined;
  readonly queues: FinalQueues;
  readonly concurrency?: number;
};

/** A delivery's positions in the order of delivery, and its means to stop early. */
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
  const options = { concurrency, finishing };
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
  const now = parts.clock.now();
  const waitMs = delayMsOf(job, now);
  if (waitMs > 0) return { retryAfterMs: waitMs, isUncounted: true };
  if (isOverdue(job, now)) {
    await write(parts, taken, (read) => withFinalMessages(expired(read, now), parts.queues));
    return 'ack';
  }
  await passage.deciding.turn;
  const deciding = decide(parts, job, passage.closing);
  // The requests are answered in the order they were made, so the next one may be made while this one waits.
  passage.deciding.done();
  const choice = await deciding;
  if (choice.kind === 'stay') return { retryAfterMs: choice.afterMs, isUncounted: true };
  passage.releaseSlot();
  await route(parts, taken, choice, passage.publishing);
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

async function route(
  parts: DispatcherParts,
  taken: RawJob,
  choice: Decision,
  publishing: Ticket,
): Promise<void> {
  const moved = await write(parts, taken, (read) => moveFor(parts, read, choice));
  if (!moved && choice.kind === 'route') choice.releasePermit?.();
  if (!moved || !isWaiting(moved.state)) return;
  await publishing.turn;
  const published = publish(parts, moved, choice);
  // A channel keeps the order of its messages, so the next one may be sent before this one is confirmed.
  publishing.done();
  await published;
}

/** The job after the move; undefined if it had moved before, and then nothing is written. */
async function write(
  parts: DispatcherParts,
  { job, unstored }: RawJob,
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
  if (isWaiting(known.state)) await publishPointer(parts, known);
  return undefined;
}

function moveFor(parts: DispatcherParts, job: Job, choice: Decision): JobMove {
  const now = parts.clock.now();
  switch (choice.kind) {
    case 'route':
      return routed(job, choice, now);
    case 'wait':
      return delayed(job, { ...choice, costsAttempt: false, queue: parts.returningQueue }, now);
    case 'refuse':
      return withFinalMessages(failed(job, choice, now), parts.queues);
    default:
      return choice satisfies never;
  }
}

function publish(parts: DispatcherParts, job: Job, choice: Decision): Promise<void> {
  const fixedDelayMs = choice.kind === 'route' ? choice.fixedDelayMs : undefined;
  const options =
    fixedDelayMs === undefined
      ? { delayMs: delayMsOf(job, parts.clock.now()) }
      : { delayMs: fixedDelayMs, isFixedDelay: true };
  return parts.queue.publish(job.queue, messageFor(job), options);
}
