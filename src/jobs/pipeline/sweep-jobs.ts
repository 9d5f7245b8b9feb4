// The sweeper looks for jobs that nobody looks after: waiting past their deadline, running under a lease that has
// ended, or waiting although their message is gone. It turns any loss of a queue's data into a delay. Several
// sweepers may run at once: moves are fenced and a message published twice is dropped once.

import type { Verdict } from '../../errors/codes.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { FinalQueues } from '../model/final-message.ts';
import type { Job } from '../model/job.ts';
import { expired, failed, requeued } from '../model/job-moves.ts';
import { messageFor } from '../model/job-pointer.ts';
import type { RetryPolicy } from '../model/job-policy.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { deadLetterOf, ending } from './end-job.ts';

export type SweepParts = {
  readonly store: Pick<JobStore, 'move' | 'touch' | 'neglected' | 'message'>;
  readonly queue: Pick<JobQueue, 'publish' | 'missing'>;
  readonly policy: RetryPolicy;
  readonly queues: FinalQueues;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs?: number;
};

export type Sweeper = {
  /** One sweep, at once; the first one after a crash is worth waiting for. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

const EVERY_MS = 15_000;
/** A message may be on its way between its job's move and its queue. */
const GRACE_MS = 30_000;
const PAGE = 200;

export function startSweeper(parts: SweepParts): Sweeper {
  const everyMs = parts.everyMs ?? EVERY_MS;
  let sweeping: Promise<void> | undefined;
  let cancelTimer: CancelTimer = parts.clock.after(everyMs, tick);
  let isClosed = false;

  function tick(): void {
    void sweep()
      .catch((cause: unknown) => tell(parts.log, 'jobs could not be swept', cause))
      .finally(() => {
        if (!isClosed) cancelTimer = parts.clock.after(everyMs, tick);
      });
  }

  function sweep(): Promise<void> {
    sweeping ??= sweepAll(parts).finally(() => {
      sweeping = undefined;
    });
    return sweeping;
  }

  return {
    sweep,
    async close() {
      isClosed = true;
      cancelTimer();
      await sweeping?.catch(() => {});
    },
  };
}

async function sweepAll(parts: SweepParts): Promise<void> {
  const before = parts.clock.now();
  await eachPage(parts, 'overdue', before, (job) => expire(parts, job));
  await eachPage(parts, 'unleased', before, (job) => recover(parts, job));
  await republishMissing(parts, before - GRACE_MS);
}

/** Each job swept leaves the query's answer, so the first page is asked for until it is not full. */
async function eachPage(
  parts: SweepParts,
  kind: 'overdue' | 'unleased',
  before: number,
  fn: (job: Job) => Promise<void>,
): Promise<void> {
  for (;;) {
    const page = await parts.store.neglected({ kind, before, limit: PAGE });
    for (const job of page) await fn(job);
    if (page.length < PAGE) return;
  }
}

async function expire(parts: SweepParts, job: Job): Promise<void> {
  await parts.store.move(ending(expired(job, parts.clock.now()), parts.queues));
}

async function recover(parts: SweepParts, job: Job): Promise<void> {
  if (job.losses >= parts.policy.maxLosses) return giveUp(parts, job);
  const moved = await parts.store.move(requeued(job, 'lost', parts.clock.now()));
  if (!moved) return;
  const delayMs = apartMs(moved.losses, parts.clock.random());
  await parts.queue.publish(moved.queue, messageFor(moved), { delayMs });
}

/**
 * Jobs that were lost together were in one worker's hands, and one of them may have killed it. From the second loss on
 * they come back apart, ever further, so that the others get away from it before they are suspected themselves.
 */
export function apartMs(losses: number, random: number): number {
  return losses < 2 ? 0 : Math.round(random * FIRST_SPREAD_MS * 2 ** Math.min(losses - 2, 5));
}

const FIRST_SPREAD_MS = 2000;

/** It has lost so many workers that it is suspected of killing them. */
async function giveUp(parts: SweepParts, job: Job): Promise<void> {
  const now = parts.clock.now();
  const verdict: Verdict = {
    code: 'NETWORK_TIMEOUT',
    params: { phase: 'lost' },
    retryable: false,
  };
  const failure = { verdict, internalMessage: `lost ${job.losses + 1} workers` };
  const letter = deadLetterOf(job, await parts.store.message(job.id), failure, now);
  const move = failed(job, { verdict, deadLetter: letter }, now);
  await parts.store.move(ending(move, parts.queues));
}

async function republishMissing(parts: SweepParts, before: number): Promise<void> {
  let after: Job | undefined;
  for (;;) {
    const query = { kind: 'due', before, limit: PAGE, ...(after && { after }) } as const;
    const page = await parts.store.neglected(query);
    const byQueue = Map.groupBy(page, (job) => job.queue);
    for (const [queue, jobs] of byQueue) await republish(parts, queue, jobs);
    after = page.at(-1);
    if (page.length < PAGE) return;
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

/** A message that had to wait came onto its queue when it was due. */
function enteredAt({ publishedAt, runAt }: Job): number {
  return Math.max(publishedAt, runAt);
}

function tell(log: Log, message: string, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log.write({ level: 'error', type: 'error', message, metadata: { reason } });
}
