// Ends a job: the last move with everything that has to be told together with it. All the ways a job can end
// go through here, so that none forgets the results queue, the callback or the dead letter's copy.

import type { Verdict } from '../../errors/codes.ts';
import { callbackMessage } from '../callbacks/callback-message.ts';
import { deadLetterCopy, type FinalQueues, resultMessage } from '../model/final-message.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { DeadLetter } from '../ports/dead-letter-store.ts';
import type { JobMove } from '../ports/job-store.ts';

/** Completes a final move with the messages that belong to it. */
export function ending(move: JobMove, queues: FinalQueues): JobMove {
  const copies = move.deadLetter ? deadLetterCopy(move.deadLetter, queues.deadLetterQueue) : [];
  const told = [...resultMessage(move.moved, move.result, queues), ...callbackMessage(move.moved)];
  return { ...move, announce: [...told, ...copies] };
}

/** The dead letter of a job that failed: the fields that were handed in, and why it could not be done. */
export function deadLetterOf(
  job: Job,
  message: JobMessage | undefined,
  failure: { readonly verdict: Verdict; readonly internalMessage?: string | undefined },
  createdAt: number,
): DeadLetter {
  const { publicId, organizationId } = job;
  const fields = { ...message, id: publicId, AnalysisId: publicId, organizationId };
  return {
    id: `${job.id}.${job.fence}`,
    jobId: job.id,
    organizationId,
    queue: job.queue,
    body: JSON.stringify(fields),
    errorCode: failure.verdict.code,
    errorMessage: failure.internalMessage ?? failure.verdict.code,
    attempts: job.attempts,
    createdAt,
  };
}
