// The sweeper finds stalled jobs: waiting past their deadline, running under an expired lease, or waiting although their
// message is gone. It turns any loss of a queue's data into a delay. Several sweepers may run at once: moves are fenced,
// and of two copies of a message the fence drops one.

import type { Verdict } from '../../errors/codes.ts';
import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import { logDeadLetter } from '../intake/log-dead-letter.ts';
import {
  deadLetterOf,
  type FinalQueues,
  needsMessage,
  withFinalMessages,
} from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import { expired, failed, requeued } from '../model/job-moves.ts';
import { messageFor } from '../model/job-pointer.ts';
import type { RetryPolicy } from '../model/job-policy.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';

export type SweepParts = {
  readonly store: Pick<JobStore, 'move' | 'touch' | 'stalled' | 'message'>;
  readonly queue: Pick<JobQueue, 'publish' | 'missing'>;
  readonly policy: RetryPolicy;
  readonly queues: FinalQueues;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs?: number;
};

export type Sweeper = {
  /** Sweeps now; a server waits for the first sweep before it takes jobs. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

const INTERVAL_MS = 15_000;
/** A message may still be in transit between its job's move and its queue. */
const GRACE_MS = 30_000;
const PAGE_SIZE = 200;

export function startSweeper(parts: SweepParts): Sweeper {
  const { clock, log, intervalMs = INTERVAL_MS } = parts;
  const sweeping = every(
    clock,
    intervalMs,
    () => sweepAll(parts),
    (cause) => logFailure(log, 'jobs could not be swept; the next sweep tries again', cause),
  );
  return { sweep: () => sweeping.runNow(), close: () => sweeping.close() };
}

async function sweepAll(parts: SweepParts): Promise<void> {
  const before = parts.clock.now();
  await eachPage(parts, 'overdue', before, (job) => expire(parts, job));
  await eachPage(parts, 'unleased', before, (job) => recover(parts, job));
  await republishMissing(parts, before - GRACE_MS);
}

/** A swept job no longer matches the query, so the first page is read until it is not full. */
async function eachPage(
  parts: SweepParts,
  kind: 'overdue' | 'unleased',
  before: number,
  fn: (job: Job) => Promise<void>,
): Promise<void> {
  for (;;) {
    const page = await parts.store.stalled({ kind, before, limit: PAGE_SIZE });
    for (const job of page) await fn(job);
    if (page.length < PAGE_SIZE) return;
  }
}

async function expire(parts: SweepParts, job: Job): Promise<void> {
  const { store, queues, clock } = parts;
  const message = needsMessage(job, queues) ? await store.message(job.id) : undefined;
  await store.move(withFinalMessages(expired(job, clock.now()), queues, message));
}

async function recover(parts: SweepParts, job: Job): Promise<void> {
  if (job.losses >= parts.policy.maxLosses) return failLost(parts, job);
  const moved = await parts.store.move(requeued(job, 'lost', parts.clock.now()));
  if (!moved) return;
  const delayMs = lossBackoffMs(moved.losses, parts.clock.random());
  await parts.queue.publish(moved.queue, messageFor(moved), { delayMs });
}

/**
 * Jobs lost together ran in one worker, and any of them may have crashed it. From its second loss on a job returns
 * after a growing random delay, so that the harmless ones are not lost together with the culprit again and suspected as
 * well.
 */
export function lossBackoffMs(losses: number, random: number): number {
  return losses < 2 ? 0 : Math.round(random * BASE_SPREAD_MS * 2 ** Math.min(losses - 2, 5));
}

const BASE_SPREAD_MS = 2000;

/** After `maxLosses` the job is suspected of crashing its workers. */
async function failLost(parts: SweepParts, job: Job): Promise<void> {
  const now = parts.clock.now();
  const verdict: Verdict = {
    code: 'NETWORK_TIMEOUT',
    params: { phase: 'lost' },
    retryable: false,
  };
  const failure = { verdict, internalMessage: `lost ${job.losses + 1} workers` };
  const message = await parts.store.message(job.id);
  const letter = deadLetterOf(job, message, failure, now);
  const move = failed(job, { verdict, deadLetter: letter }, now);
  const moved = await parts.store.move(withFinalMessages(move, parts.queues, message));
  if (moved) logDeadLetter(parts.log, letter);
}

async function republishMissing(parts: SweepParts, before: number): Promise<void> {
  let after: Job | undefined;
  for (;;) {
    const query = { kind: 'due', before, limit: PAGE_SIZE, ...(after && { after }) } as const;
    const page = await parts.store.stalled(query);
    const byQueue = Map.groupBy(page, (job) => job.queue);
    for (const [queue, jobs] of byQueue) await republish(parts, queue, jobs);
    after = page.at(-1);
    if (page.length < PAGE_SIZE) return;
  }
}

async function republish(parts: SweepParts, queue: string, jobs: readonly Job[]): Promise<void> {
  const messages = jobs.map((job) => ({ id: messageFor(job).id, publishedAt: enteredAt(job) }));
  const missing = new Set(await parts.queue.missing(queue, messages));
  const lost = jobs.filter((job) => missing.has(messageFor(job).id));
  for (const job of lost) {
    await parts.queue.publish(queue, messageFor(job));
    await parts.store.touch(job.id, job.fence, { publishedAt: parts.clock.now() });
  }
  if (lost.length > 0) {
    const metadata = { queue, count: lost.length };
    parts.log.write({
      level: 'warn',
      type: 'error',
      message: 'lost messages republished',
      metadata,
    });
  }
}

/** A delayed message enters its queue when it is due. */
function enteredAt({ publishedAt, runAt }: Job): number {
  return Math.max(publishedAt, runAt);
}
