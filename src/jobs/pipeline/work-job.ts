// The worker: takes jobs from one provider's queue and runs them, a few at once. Claiming a job moves its fence, so
// that of all copies of a message one is run and the others are dropped. The order is always: store what came out,
// publish the next message if there is one, acknowledge. Told to stop, it finishes what it started.
// One job here: taken → permitted → running (lease renewed, deadline watched) → called (its place is the next one's) →
// ended, waiting again, or given back.
// Without a permit it waits for its own moment: in hand where the queue keeps others in a fair order meanwhile, else back
// on the queue. While the limit's counts cannot be asked everything stays in hand.

import { sleep } from '../../kernel/clock.ts';
import { isOverdue, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { expired, postponed, started } from '../model/job-moves.ts';
import { delayMsOf } from '../model/job-pointer.ts';
import type { JobState } from '../model/job-state.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { JobPermit, JobPermits } from '../ports/job-permits.ts';
import type { Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { RunJob } from '../ports/job-runner.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type FinishParts, finish, moveAfter } from './finish-run.ts';
import { rememberOrganizations } from './known-organizations.ts';
import { tellAgain } from './publish-result.ts';
import type { RunHandle, RunningJobs } from './running-jobs.ts';
import { superviseRun } from './supervise-run.ts';
import { type TakeParts, takeMessage } from './take-message.ts';

export type WorkerParts = TakeParts &
  FinishParts & {
    readonly store: Pick<JobStore, 'create' | 'find' | 'message' | 'move' | 'touch'>;
    readonly history: Pick<JobHistory, 'savePartial' | 'result'>;
    readonly queue: Pick<JobQueue, 'publish' | 'consume'>;
    readonly running: RunningJobs;
    readonly runJob: RunJob;
    /** The provider's own limit; absent where none is kept. */
    readonly permits?: JobPermits | undefined;
    /** Whether a job over the limit stays in hand: on queues that serve who waits in a fair order. */
    readonly staysInHand?: boolean;
    readonly leaseMs: number;
    readonly workerId: string;
    /** Told of every run that ended: for measuring. */
    readonly onRun?: (ended: EndedRun) => void;
    /** Aborted when no more is to be begun. */
    readonly closing?: AbortSignal;
  };

export type EndedRun = { readonly job: Job; readonly to: JobState; readonly durationMs: number };

export type Worker = {
  /**
   * Takes no more and finishes what was started. When `hurry` aborts, what is still running is stopped and given
   * back to the queue. Idempotent.
   */
  close(hurry?: AbortSignal): Promise<void>;
};

export type WorkerQueue = {
  readonly queue: string;
  /** How many calls it makes at once. */
  readonly concurrency: number;
  /** How many jobs it has in hand: those above the concurrency are being stored and passed on, or wait for a call to end. */
  readonly prefetch?: number;
};

export function startWorker(
  parts: WorkerParts,
  { queue, concurrency, prefetch = concurrency }: WorkerQueue,
): Worker {
  const hurrying = new AbortController();
  const closing = new AbortController();
  const { tellResult, history, clock } = parts;
  const own = {
    ...parts,
    whenComesAgain:
      tellResult && ((job: Job) => tellAgain(tellResult, { job, history, now: clock.now() })),
    organizationExists: rememberOrganizations(parts.organizationExists, parts.clock),
    readMessage: (jobId: string) => parts.store.message(jobId),
    giveUp: hurrying.signal,
    closing: closing.signal,
  };
  const finishing = Math.max(0, prefetch - concurrency);
  const consumer = parts.queue.consume(queue, { concurrency, finishing }, (delivery, leavePlace) =>
    work(own, queue, delivery, leavePlace),
  );
  function giveBack(): void {
    parts.running.stopAll('shutdown');
    hurrying.abort();
  }
  return {
    async close(hurry) {
      hurry?.addEventListener('abort', giveBack, { once: true });
      closing.abort();
      const closed = consumer.close();
      if (hurry?.aborted) giveBack();
      await closed;
      hurry?.removeEventListener('abort', giveBack);
    },
  };
}

/** A delivery's stay in hand: the moment it was given to ask again at (none before it was refused), and its place. */
type Turn = { at?: number; readonly leavePlace: () => void };

/** What a look at a delivery comes to; `stayMs`: it stays in hand for that long and is then looked at afresh. */
type Step = DeliveryOutcome | { readonly stayMs: number };

export async function work(
  parts: WorkerParts,
  queueName: string,
  delivery: Delivery,
  leavePlace: () => void = () => {},
): Promise<DeliveryOutcome> {
  const turn: Turn = { leavePlace };
  for (;;) {
    const step = await workOnce(parts, queueName, delivery, turn);
    if (typeof step !== 'object' || !('stayMs' in step)) return step;
    if (parts.closing?.aborted) return { retryAfterMs: 0, isUncounted: true };
    await sleep(parts.clock, Math.min(step.stayMs, MAX_STAY_MS), parts.closing).catch(() => {});
  }
}

async function workOnce(
  parts: WorkerParts,
  queueName: string,
  delivery: Delivery,
  turn: Turn,
): Promise<Step> {
  const taken = await takeMessage(parts, queueName, delivery);
  if (!taken.job) return taken.outcome;
  const now = parts.clock.now();
  const waitMs = delayMsOf(taken.job, now);
  if (waitMs > 0) return { retryAfterMs: waitMs, isUncounted: true };
  if (isOverdue(taken.job, now)) return finish(parts, expired(taken.job, now));
  if (turn.at !== undefined && turn.at > now) return { stayMs: turn.at - now };
  const message = taken.message ?? (await parts.store.message(taken.job.id)) ?? {};
  return admit(parts, taken.job, message, turn);
}

async function admit(parts: WorkerParts, job: Job, message: JobMessage, turn: Turn): Promise<Step> {
  const { permits, staysInHand = false, closing } = parts;
  const answer = await permits?.take(job, message, { backAt: turn.at, closing });
  if (!answer || answer.kind === 'allowed') {
    const { leavePlace } = turn;
    return claim(parts, job, { message, permit: answer?.permit, leavePlace });
  }
  if (answer.kind === 'stay') return { stayMs: answer.afterMs };
  const until = parts.clock.now() + answer.afterMs;
  if (staysInHand) {
    turn.at = until;
    return { stayMs: answer.afterMs };
  }
  permits?.noteRequeued(job);
  const wait = { until, code: 'RATE_LIMITED', costsAttempt: false } as const;
  return finish(parts, postponed(job, wait, parts.clock.now()));
}

type Asked = {
  readonly message: JobMessage;
  readonly permit: JobPermit | undefined;
  readonly leavePlace: () => void;
};

async function claim(parts: WorkerParts, waiting: Job, asked: Asked): Promise<DeliveryOutcome> {
  const { permit } = asked;
  // On the list before it is claimed: a cancellation in between must find it.
  const handle = parts.running.begin(waiting.id);
  const permittedAt = parts.clock.monotonic();
  try {
    const job = await parts.store.move(started(waiting, parts, parts.clock.now()));
    if (job && permit) await parts.permits?.keepDistance(job, permit);
    const isStale = parts.clock.monotonic() - permittedAt > PERMIT_FRESH_MS;
    if (permit && (!job || isStale)) parts.permits?.giveBack(permit);
    if (!job) return 'ack';
    // Without a permit the call takes one itself, at the last moment.
    return await runClaimed(parts, job, isStale ? { ...asked, permit: undefined } : asked, handle);
  } finally {
    handle.end();
  }
}

async function runClaimed(
  parts: WorkerParts,
  job: Job,
  asked: Asked,
  handle: RunHandle,
): Promise<DeliveryOutcome> {
  const startedAt = parts.clock.monotonic();
  const run = await superviseRun(parts, job, asked, handle);
  // The provider's part is over; storing what came of it keeps nobody from calling.
  asked.leavePlace();
  const move = moveAfter(parts, job, asked.message, run);
  const durationMs = parts.clock.monotonic() - startedAt;
  if (move) parts.onRun?.({ job, to: move.to, durationMs });
  return finish(parts, move);
}

/** A permit counts from when it was taken; a store that made it wait longer would move the provider's window. */
const PERMIT_FRESH_MS = 100;
/** A job that stays in hand may be cancelled or run out of time meanwhile; it is looked at this often. */
const MAX_STAY_MS = 5000;
