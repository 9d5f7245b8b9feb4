// The worker: takes jobs from one provider's queue and runs them, several at once:
//
//   delivery ▶ job ▶ images, outside the slot ▶ permit ▶ claim (a move under a lease) ▶ run ▶ release the slot ▶ move
//            ▶ publish ▶ acknowledge
//
// Claiming changes the fence, so of all copies of a message one is run and the others are dropped. A job without a permit
// waits for its due time: in memory where the queue serves tenants in turn, else on its queue. While the
// limit's counters are unavailable every delivery waits in memory. Closing finishes the jobs in progress.

import { sleep } from '../../kernel/clock.ts';
import { cacheKnownOrganizations } from '../intake/known-organizations.ts';
import { logDeadLetter } from '../intake/log-dead-letter.ts';
import { isOverdue, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { delayed, expired, started } from '../model/job-moves.ts';
import { delayMsOf } from '../model/job-pointer.ts';
import type { JobState } from '../model/job-state.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { JobPermit, JobPermits } from '../ports/job-permits.ts';
import type { Delivery, DeliveryOutcome, JobQueue, OutsideSlot } from '../ports/job-queue.ts';
import type { Preparation, PrepareJob, RunJob, RunOutcome } from '../ports/job-runner.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type FinishParts, finish, moveAfter } from './finish-run.ts';
import { prepareRun } from './prepare-run.ts';
import type { RunHandle, RunningJobs } from './running-jobs.ts';
import { type SupervisedRun, superviseRun } from './supervise-run.ts';
import { type ProviderMessageParts, takeProviderMessage } from './take-provider-message.ts';

export type WorkerParts = ProviderMessageParts &
  FinishParts & {
    readonly store: Pick<JobStore, 'create' | 'findWithMessage' | 'message' | 'move' | 'touch'>;
    readonly history: Pick<JobHistory, 'savePartial' | 'result'>;
    readonly queue: Pick<JobQueue, 'publish' | 'consume'>;
    readonly running: RunningJobs;
    /** How long the job waits for the own circuit of its organisation, in milliseconds. */
    readonly circuitWaitMs?: (job: Job) => number;
    /** Fetches what a run needs from third parties; absent where nothing is fetched. */
    readonly prepareJob?: PrepareJob;
    readonly runJob: RunJob;
    /** The provider's limit; absent where none is configured. */
    readonly permits?: JobPermits | undefined;
    /** Whether a job over the limit waits in memory instead of returning to its queue. */
    readonly waitsInMemory?: boolean;
    readonly leaseMs: number;
    readonly workerId: string;
    /** The queue that the worker consumes: pointers to a foreign job that it has claimed go nowhere else. */
    readonly ownQueue?: string;
    /** Called after every run, for metrics and the log. */
    readonly onRun?: (ended: EndedRun) => void;
    /** Aborted when no further job may start. */
    readonly closing?: AbortSignal;
  };

export type EndedRun = {
  readonly job: Job;
  readonly to: JobState;
  readonly durationMs: number;
  /** Absent if the run was aborted. */
  readonly outcome: RunOutcome | undefined;
};

export type Worker = {
  /**
   * Accepts no further job and finishes the jobs in progress. When `hurry` aborts, the runs in progress are aborted and
   * their jobs return to the queue. Idempotent.
   */
  close(hurry?: AbortSignal): Promise<void>;
};

export type WorkerQueue = {
  readonly queue: string;
  /** Concurrent calls. */
  readonly concurrency: number;
  /** Jobs taken at once: beyond the concurrency they store and publish their outcome, or wait for a slot. */
  readonly prefetch?: number;
};

export function startWorker(
  parts: WorkerParts,
  { queue, concurrency, prefetch = concurrency }: WorkerQueue,
): Worker {
  const hurrying = new AbortController();
  const closing = new AbortController();
  const own = {
    ...parts,
    ownQueue: queue,
    organizationExists: cacheKnownOrganizations(parts.organizationExists, parts.clock),
    giveUp: hurrying.signal,
    closing: closing.signal,
  };
  const finishing = Math.max(0, prefetch - concurrency);
  const options = { concurrency, finishing };
  const consumer = parts.queue.consume(queue, options, (delivery, releaseSlot, outsideSlot) =>
    work(own, queue, delivery, { releaseSlot, outsideSlot }),
  );
  function returnJobs(): void {
    parts.running.stopAll('shutdown');
    hurrying.abort();
  }
  return {
    async close(hurry) {
      hurry?.addEventListener('abort', returnJobs, { once: true });
      closing.abort();
      const closed = consumer.close();
      if (hurry?.aborted) returnJobs();
      await closed;
      hurry?.removeEventListener('abort', returnJobs);
    },
  };
}

type DeliverySlot = { readonly releaseSlot: () => void; readonly outsideSlot: OutsideSlot };

/** `dueAt`: when to ask for a permit again; unset until the first refusal. */
type Wait = DeliverySlot & { dueAt?: number; prepared?: Preparation };

const NO_SLOT: DeliverySlot = { releaseSlot: () => {}, outsideSlot: (fetch) => fetch() };

/** `stayMs`: the delivery waits in memory for that long; then its job is read again. */
type Step = DeliveryOutcome | { readonly stayMs: number };

export async function work(
  parts: WorkerParts,
  queueName: string,
  delivery: Delivery,
  slot: DeliverySlot = NO_SLOT,
): Promise<DeliveryOutcome> {
  const wait: Wait = { ...slot };
  try {
    for (;;) {
      const step = await workOnce(parts, queueName, delivery, wait);
      if (typeof step !== 'object' || !('stayMs' in step)) return step;
      if (parts.closing?.aborted) return { retryAfterMs: 0, isUncounted: true };
      await sleep(parts.clock, Math.min(step.stayMs, MAX_STAY_MS), parts.closing).catch(() => {});
    }
  } finally {
    if (wait.prepared?.kind === 'ready') wait.prepared.release();
  }
}

async function workOnce(
  parts: WorkerParts,
  queueName: string,
  delivery: Delivery,
  wait: Wait,
): Promise<Step> {
  const taken = await takeProviderMessage(parts, queueName, delivery);
  if (taken.kind === 'done') return taken.outcome;
  const { job, message } = taken;
  const now = parts.clock.now();
  const delayMs = delayMsOf(job, now);
  if (delayMs > 0) return { retryAfterMs: delayMs, isUncounted: true };
  if (isOverdue(job, now)) return finish(parts, expired(job, now), message);
  if (wait.dueAt !== undefined && wait.dueAt > now) return { stayMs: wait.dueAt - now };
  const circuitWaitMs = parts.circuitWaitMs?.(job) ?? 0;
  if (circuitWaitMs > 0) return waitForCircuit(parts, job, now + circuitWaitMs);
  const preparing = wait.prepared ? undefined : parts.prepareJob?.(job, message);
  if (!preparing) return admit(parts, job, message, wait);
  const prepared = await prepareRun(parts, job, preparing, wait.outsideSlot);
  if (prepared.kind === 'busy') return { retryAfterMs: prepared.retryAfterMs, isUncounted: true };
  wait.prepared = prepared;
  // Read again: the job may have been cancelled meanwhile.
  return { stayMs: 0 };
}

/** The job leaves its slot and takes no permit: its organisation fails alone, and other jobs are served meanwhile. */
function waitForCircuit(parts: WorkerParts, job: Job, until: number): Promise<DeliveryOutcome> {
  const delay = { until, code: 'PROVIDER_UNAVAILABLE', costsAttempt: false } as const;
  const queue = ownQueueOf(parts, job);
  return finish(parts, delayed(job, { ...delay, queue }, parts.clock.now()), undefined);
}

async function admit(parts: WorkerParts, job: Job, message: JobMessage, wait: Wait): Promise<Step> {
  const { permits, waitsInMemory = false, closing } = parts;
  const { releaseSlot, prepared } = wait;
  // No call is made, so no permit is needed.
  if (prepared?.kind === 'failed')
    return claim(parts, job, { message, permit: undefined, prepared, releaseSlot });
  const answer = await permits?.take(job, message, { dueAt: wait.dueAt, closing });
  if (!answer || answer.kind === 'allowed') {
    return claim(parts, job, { message, permit: answer?.permit, prepared, releaseSlot });
  }
  if (answer.kind === 'stay') {
    // The job keeps its place among the jobs that wait.
    wait.dueAt ??= parts.clock.now();
    return { stayMs: answer.afterMs };
  }
  const until = parts.clock.now() + answer.afterMs;
  if (waitsInMemory || isReleased(job, answer.afterMs)) {
    wait.dueAt = until;
    return { stayMs: answer.afterMs };
  }
  permits?.noteRequeued(job);
  const delay = { until, code: 'RATE_LIMITED', costsAttempt: false } as const;
  const queue = ownQueueOf(parts, job);
  return finish(parts, delayed(job, { ...delay, queue }, parts.clock.now()), message);
}

/**
 * True for a caller's job that was released in its tenant's turn and is due soon. Requeueing would put it behind the
 * other jobs of its tenant, long after its due time, while later jobs have been promised due times after that one.
 */
function isReleased({ origin }: Job, afterMs: number): boolean {
  return origin !== 'queue' && afterMs <= MAX_RELEASED_WAIT_MS;
}

type PermittedRun = {
  readonly message: JobMessage;
  readonly permit: JobPermit | undefined;
  readonly prepared: Preparation | undefined;
  readonly releaseSlot: () => void;
};

async function claim(
  parts: WorkerParts,
  waiting: Job,
  permitted: PermittedRun,
): Promise<DeliveryOutcome> {
  const { permit } = permitted;
  // Registered before it is claimed, so that a cancellation in between aborts it.
  const handle = parts.running.begin(waiting.id);
  try {
    const { workerId, leaseMs } = parts;
    const terms = { workerId, leaseMs, queue: ownQueueOf(parts, waiting) };
    const job = await parts.store.move(started(waiting, terms, parts.clock.now()));
    if (permit && !job) parts.permits?.giveBack(permit);
    if (!job) return 'ack';
    return await runClaimed(parts, job, permitted, handle);
  } finally {
    handle.end();
  }
}

async function runClaimed(
  parts: WorkerParts,
  job: Job,
  permitted: PermittedRun,
  handle: RunHandle,
): Promise<DeliveryOutcome> {
  const startedAt = parts.clock.monotonic();
  const run = await runPrepared(parts, job, permitted, handle);
  // The call is over: storing its outcome must not keep the next call waiting.
  permitted.releaseSlot();
  const move = moveAfter(parts, job, permitted.message, run);
  const durationMs = parts.clock.monotonic() - startedAt;
  const outcome = run.kind === 'ended' ? run.outcome : undefined;
  if (move) parts.onRun?.({ job, to: move.to, durationMs, outcome });
  const finished = await finish(parts, move, permitted.message);
  if (move?.deadLetter) logDeadLetter(parts.log, move.deadLetter);
  return finished;
}

/** A caller's job returns to its tenant queue, which has the name of the provider's queue. */
function ownQueueOf({ ownQueue }: WorkerParts, { origin }: Job): string | undefined {
  return origin === 'queue' ? ownQueue : undefined;
}

async function runPrepared(
  parts: WorkerParts,
  job: Job,
  { message, permit, prepared }: PermittedRun,
  handle: RunHandle,
): Promise<SupervisedRun> {
  if (prepared?.kind === 'failed') return { kind: 'ended', outcome: prepared.outcome };
  return superviseRun(parts, job, { message, permit, images: prepared?.images }, handle);
}

/** A broker redelivers a message that stays unacknowledged for too long. */
const MAX_RELEASED_WAIT_MS = 60_000;
/** A job that waits in memory may be cancelled or expire; it is read again at least this often. */
const MAX_STAY_MS = 5000;
