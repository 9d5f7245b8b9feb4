// What becomes of a job after its run: the move that its outcome means, stored, and its next message if it goes on. The
// order is always: store, publish, and only then acknowledge. What came out of a run has been paid for, so a store
// that is away is waited for.

import { type Clock, sleep } from '../kernel/clock.ts';
import { deadLetterOf, ending } from './end-job.ts';
import type { FinalQueues } from './final-message.ts';
import type { Job } from './job.ts';
import type { JobMessage } from './job-message.ts';
import { expired, failed, postponed, requeued, succeeded } from './job-moves.ts';
import { delayMsOf, messageFor } from './job-pointer.ts';
import { judge, type RetryPolicy } from './job-policy.ts';
import type { DeliveryOutcome, JobQueue } from './job-queue.ts';
import type { RunOutcome } from './job-runner.ts';
import { isWaiting } from './job-state.ts';
import type { JobMove, JobStore } from './job-store.ts';
import type { SupervisedRun } from './supervise-run.ts';

export type FinishParts = {
  readonly store: Pick<JobStore, 'move'>;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly policy: RetryPolicy;
  readonly queues: FinalQueues;
  readonly clock: Clock;
  /** Aborted when there is no more time to wait for a store that is away. */
  readonly giveUp?: AbortSignal;
};

const STORE_AWAY_MS = 1000;
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
  const moved = await persist(parts, isGoingOn ? move : ending(move, parts.queues));
  if (moved && isGoingOn) {
    const delayMs = delayMsOf(moved, parts.clock.now());
    await parts.queue.publish(moved.queue, messageFor(moved), { delayMs });
  }
  return 'ack';
}

/** What came out of a run has been paid for: while the store is away it is held on to. */
async function persist(parts: FinishParts, move: JobMove): Promise<Job | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await parts.store.move(move);
    } catch (cause) {
      if (tries >= MAX_STORE_TRIES) throw cause;
      await sleep(parts.clock, STORE_AWAY_MS, parts.giveUp);
    }
  }
}
