// The dispatcher: takes jobs from the raw queue, has a provider chosen for each, and puts it on that provider's
// queue, at once or after the wait that the provider's limit asks for. The order is always: move the job, publish
// its next message, acknowledge this one. A crash in between duplicates a message and loses nothing. A message of
// another system is stored as a job that has already made its first move: one write instead of two.
// Several messages are in hand at once, but they are decided on, and published, in the order they came in.

import type { ErrorCode, Verdict } from '../../errors/codes.ts';
import { sleep } from '../../kernel/clock.ts';
import type { FinalQueues } from '../model/final-message.ts';
import { isOverdue, type Job } from '../model/job.ts';
import { expired, failed, postponed, routed } from '../model/job-moves.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import { ending } from './end-job.ts';
import { rememberOrganizations } from './known-organizations.ts';
import { createLineUp, type Place } from './line-up.ts';
import { publishCurrent, type Taken, type TakeParts, takeMessage } from './take-message.ts';

/** Where a job is to go. `runAt` and `waitCode` say that it has to wait there, and why. */
export type ProviderChoice =
  | {
      readonly kind: 'route';
      readonly provider: string;
      readonly queue: string;
      readonly model?: string | undefined;
      readonly runAt?: number | undefined;
      readonly waitCode?: ErrorCode | undefined;
      /** It waits for this time whatever happens meanwhile, where other systems look for such messages. */
      readonly fixedDelayMs?: number | undefined;
      /** Gives back what was taken for it, when it does not go there after all. */
      readonly giveBack?: (() => void) | undefined;
    }
  /** Nobody can take it before then: it is asked about again. */
  | { readonly kind: 'wait'; readonly until: number; readonly code: ErrorCode }
  /** Nothing can be decided now, but soon: what is in hand is held on to, and nothing more is taken. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** Nobody will ever take it: an unknown model, a provider without a key. */
  | { readonly kind: 'refuse'; readonly verdict: Verdict };

/** `closing` ends the wait for an answer, which is then to stay. */
export type ChooseProvider = (job: Job, closing?: AbortSignal) => Promise<ProviderChoice>;

export type DispatcherParts = TakeParts & {
  readonly store: Pick<JobStore, 'create' | 'find' | 'move'>;
  /** Where jobs are passed on to. */
  readonly queue: Pick<JobQueue, 'publish'>;
  /** Where they are taken from. */
  readonly source: Pick<JobQueue, 'consume'>;
  readonly chooseProvider: ChooseProvider;
  readonly rawQueue: string;
  /**
   * Where those come back to who had to wait: behind everybody on a long raw queue, their moment would be over. Absent
   * where they come back to the queue they were taken from.
   */
  readonly returningQueue?: string | undefined;
  readonly queues: FinalQueues;
  readonly concurrency?: number;
};

/** Where a delivery must keep its order, and what tells it that there is no time to wait. */
type Passage = {
  readonly deciding: Place;
  readonly publishing: Place;
  readonly closing: AbortSignal;
  /** Said when it is decided: what is left is to store and to pass it on. */
  readonly leavePlace: () => void;
};

const DEFAULT_CONCURRENCY = 1;

/** Runs until it is closed; closing finishes what was begun. */
export function startDispatcher(given: DispatcherParts): Consumer {
  const organizationExists = rememberOrganizations(given.organizationExists, given.clock);
  const parts = { ...given, organizationExists, leavesUnstored: true };
  const concurrency = parts.concurrency ?? DEFAULT_CONCURRENCY;
  const closing = new AbortController();
  const [decide, publish] = [createLineUp(), createLineUp()];
  const finishing = concurrency > 1 ? concurrency : 0;
  const options = { concurrency, finishing };
  const consumer = parts.source.consume(parts.rawQueue, options, (delivery, leavePlace) => {
    const places = { deciding: decide(), publishing: publish() };
    const passage = { ...places, closing: closing.signal, leavePlace };
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
  deciding.leave();
  publishing.leave();
}

async function dispatch(
  parts: DispatcherParts,
  delivery: Delivery,
  passage: Passage,
): Promise<DeliveryOutcome> {
  const taken = await takeMessage(parts, parts.rawQueue, delivery);
  if (!taken.job) return taken.outcome;
  const { job } = taken;
  const now = parts.clock.now();
  const waitMs = delayMsOf(job, now);
  // Early copies go back to sleep; asking for a provider now would be asking twice.
  if (waitMs > 0) return { retryAfterMs: waitMs, isUncounted: true };
  if (isOverdue(job, now)) {
    await write(parts, taken, (seen) => ending(expired(seen, now), parts.queues));
    return 'ack';
  }
  await passage.deciding.turn;
  const deciding = decide(parts, job, passage.closing);
  // Having asked is enough: the questions are answered in their order, and waiting is worth overlapping.
  passage.deciding.leave();
  const choice = await deciding;
  if (choice.kind === 'stay') return { retryAfterMs: choice.afterMs, isUncounted: true };
  passage.leavePlace();
  await follow(parts, taken, choice, passage.publishing);
  return 'ack';
}

/** While nothing can be decided the job stays in hand: putting all of them off one by one would be a loop. */
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

type Seen = Extract<Taken, { job: Job }>;
type Decided = Exclude<ProviderChoice, { kind: 'stay' }>;

async function follow(
  parts: DispatcherParts,
  taken: Seen,
  choice: Decided,
  publishing: Place,
): Promise<void> {
  const moved = await write(parts, taken, (seen) => moveFor(parts, seen, choice));
  if (!moved && choice.kind === 'route') choice.giveBack?.();
  if (moved?.state !== 'queued' && moved?.state !== 'delayed') return;
  await publishing.turn;
  const published = pass(parts, moved, choice);
  // On its way is enough: a channel keeps the order, and confirms are worth overlapping.
  publishing.leave();
  await published;
}

/** The job after the move; undefined when it had moved on, and then nothing was done. */
async function write(
  parts: DispatcherParts,
  { job, unstored }: Seen,
  moveOf: (seen: Job) => JobMove,
): Promise<Job | undefined> {
  const move = moveOf(job);
  if (!unstored) return parts.store.move(move);
  const events = [{ type: 'submitted' } as const, ...move.events];
  const { moved } = move;
  const created = await parts.store.create(moved, unstored, move.announce, events);
  if (created.isNew) return moved;
  const known = created.job;
  // It was stored by one who died before moving it: this is its message still.
  if (known.fence === job.fence) return parts.store.move(moveOf(known));
  if (isWaiting(known.state)) await publishCurrent(parts, known);
  return undefined;
}

function moveFor(parts: DispatcherParts, job: Job, choice: Decided): JobMove {
  const now = parts.clock.now();
  switch (choice.kind) {
    case 'route':
      return routed(job, choice, now);
    case 'wait':
      return postponed(job, { ...choice, costsAttempt: false, queue: parts.returningQueue }, now);
    case 'refuse':
      return ending(failed(job, choice, now), parts.queues);
    default:
      return choice satisfies never;
  }
}

function pass(parts: DispatcherParts, job: Job, choice: Decided): Promise<void> {
  const fixedDelayMs = choice.kind === 'route' ? choice.fixedDelayMs : undefined;
  const options =
    fixedDelayMs === undefined
      ? { delayMs: delayMsOf(job, parts.clock.now()) }
      : { delayMs: fixedDelayMs, isFixedDelay: true };
  return parts.queue.publish(job.queue, messageFor(job), options);
}
