// What becomes of a job after its run: the move that its outcome means, stored, and its next message if it goes on, or its
// result if it has ended. The order is always: store, publish, and only then acknowledge. What came out of a run has been
// paid for, so a store that is away is waited for.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { FinalQueues } from '../model/final-message.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { expired, failed, postponed, requeued, succeeded } from '../model/job-moves.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import { judge, type RetryPolicy } from '../model/job-policy.ts';
import { isWaiting } from '../model/job-state.ts';
import type { DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { RunOutcome } from '../ports/job-runner.ts';
import type { JobMove, JobStore } from '../ports/job-store.ts';
import { deadLetterOf, ending } from './end-job.ts';
import type { TellResult } from './publish-result.ts';
import type { SupervisedRun } from './supervise-run.ts';

export type FinishParts = {
  readonly store: Pick<JobStore, 'find' | 'move'>;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly policy: RetryPolicy;
  /** Where others are told of ends together with the move. */
  readonly queues: FinalQueues;
  /** Tells of ends after the move; absent where nobody listens. */
  readonly tellResult?: TellResult | undefined;
  readonly clock: Clock;
  /** Aborted when there is no more time to wait for a store that is away. */
  readonly giveUp?: AbortSignal;
};

const STORE_RETRY_AFTER_MS = 1000;
const MAX_STORE_TRIES = 600;

/** Undefined when the job is not ours any more: it was cancelled, or somebody else has it. */
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
  const judgement = judge(job, outcome, parts.policy, now);
  if (judgement.kind === 'postpone')
    return postponed(job, { ...judgement, code: verdict.code }, now);
  if (!judgement.isDeadLetter) return failed(job, { verdict }, now);
  return failed(job, { verdict, deadLetter: deadLetterOf(job, message, outcome, now) }, now);
}

export async function finish(
  parts: FinishParts,
  move: JobMove | undefined,
): Promise<DeliveryOutcome> {
  if (!move) return 'ack';
  const isGoingOn = isWaiting(move.to);
  const moved = await persist(parts, isGoingOn ? move : endingOf(parts, move));
  if (!moved) return 'ack';
  if (isGoingOn) {
    const delayMs = delayMsOf(moved, parts.clock.now());
    await parts.queue.publish(moved.queue, messageFor(moved), { delayMs });
  } else await parts.tellResult?.(moved, move.result);
  return 'ack';
}

/** What is told after the move is not announced with it. */
function endingOf({ queues, tellResult }: FinishParts, move: JobMove): JobMove {
  return ending(move, tellResult ? { ...queues, resultsQueue: undefined } : queues);
}

/** What came out of a run has been paid for: while the store is away it is held on to. */
async function persist(parts: FinishParts, move: JobMove): Promise<Job | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const moved = await parts.store.move(move);
      return moved || tries === 1 ? moved : await doneBefore(parts, move);
    } catch (cause) {
      if (tries >= MAX_STORE_TRIES) throw cause;
      await sleep(parts.clock, STORE_RETRY_AFTER_MS, parts.giveUp);
    }
  }
}

/** A store that went away may have made the move and never said so. */
async function doneBefore({ store }: FinishParts, move: JobMove): Promise<Job | undefined> {
  const job = await store.find({ id: move.jobId });
  const isMoved = job?.fence === move.moved.fence && job.state === move.to;
  return isMoved ? job : undefined;
}
