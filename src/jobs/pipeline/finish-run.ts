// Finishes a run: stores the move that its outcome requires, then publishes the job's next pointer or its result, and
// only then has the message acknowledged. The call has been paid for, so while the store is unavailable the move is
// retried for ten minutes.

import { type Clock, sleep } from '../../kernel/clock.ts';
import { deadLetterOf, type FinalQueues, withFinalMessages } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { delayed, expired, failed, requeued, succeeded } from '../model/job-moves.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import { decideRetry, type RetryPolicy } from '../model/job-policy.ts';
import { isWaiting } from '../model/job-state.ts';
import type { DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { RunOutcome } from '../ports/job-runner.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import type { PublishResult } from './publish-result.ts';
import type { SupervisedRun } from './supervise-run.ts';

export type FinishParts = {
  readonly store: Pick<JobStore, 'find' | 'move'>;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly policy: RetryPolicy;
  /** The queues for messages that commit with the last move. */
  readonly queues: FinalQueues;
  /** Publishes the result after the move; absent without a broker. */
  readonly publishResult?: PublishResult | undefined;
  readonly clock: Clock;
  /** Aborts when a shutdown cannot wait for the store. */
  readonly giveUp?: AbortSignal;
};

const STORE_RETRY_AFTER_MS = 1000;
const MAX_STORE_TRIES = 600;

/** Undefined if the job was cancelled or another worker has claimed it. */
export function moveAfter(
  parts: FinishParts,
  job: Job,
  message: JobMessage,
  run: SupervisedRun,
): JobMove | undefined {
  const now = parts.clock.now();
  if (run.kind === 'ended') return moveFor(parts, job, message, run.outcome);
  if (run.reason === 'deadline') return expired(job, now);
  return run.reason === 'shutdown' ? requeued(job, 'returned', now) : undefined;
}

function moveFor(parts: FinishParts, job: Job, message: JobMessage, outcome: RunOutcome): JobMove {
  const now = parts.clock.now();
  if (outcome.kind === 'succeeded') return succeeded(job, outcome.result, now);
  const { verdict } = outcome;
  const decision = decideRetry(job, outcome, parts.policy, now);
  if (decision.kind === 'delay') return delayed(job, { ...decision, code: verdict.code }, now);
  if (!decision.isDeadLetter) return failed(job, { verdict }, now);
  return failed(job, { verdict, deadLetter: deadLetterOf(job, message, outcome, now) }, now);
}

export async function finish(
  parts: FinishParts,
  move: JobMove | undefined,
  message: JobMessage | undefined,
): Promise<DeliveryOutcome> {
  if (!move) return 'ack';
  const isContinued = isWaiting(move.to);
  const moved = await persist(parts, isContinued ? move : finalMove(parts, move, message));
  if (!moved) return 'ack';
  if (isContinued) {
    const delayMs = delayMsOf(moved, parts.clock.now());
    await parts.queue.publish(moved.queue, messageFor(moved), { delayMs });
  } else await parts.publishResult?.({ job: moved, result: move.result, message });
  return 'ack';
}

/** A result that is published after the move needs no outbox message. */
function finalMove(
  { queues, publishResult }: FinishParts,
  move: JobMove,
  message: JobMessage | undefined,
): JobMove {
  const own = publishResult ? { ...queues, resultsQueue: undefined } : queues;
  return withFinalMessages(move, own, message);
}

async function persist(parts: FinishParts, move: JobMove): Promise<Job | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const moved = await parts.store.move(move);
      return moved || tries === 1 ? moved : await committedBefore(parts, move);
    } catch (cause) {
      if (tries >= MAX_STORE_TRIES) throw cause;
      await sleep(parts.clock, STORE_RETRY_AFTER_MS, parts.giveUp);
    }
  }
}

/** A connection lost during the commit leaves open whether the move was made. */
async function committedBefore({ store }: FinishParts, move: JobMove): Promise<Job | undefined> {
  const job = await store.find({ id: move.jobId });
  const isMoved = job?.fence === move.moved.fence && job.state === move.to;
  return isMoved ? job : undefined;
}
