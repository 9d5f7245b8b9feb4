// Retries dead letters for an operator. A job is queued again with all its attempts; a message that never became a job
// returns to its queue. A crash before the dead letter is deleted repeats the step, which is idempotent.

import type { Clock } from '../../kernel/clock.ts';
import { retried } from '../model/job-moves.ts';
import { messageFor } from '../model/job-pointer.ts';
import type { DeadLetter, DeadLetterStore } from '../ports/dead-letter-store.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';

export type RetryDeadLetterParts = {
  readonly store: Pick<JobStore, 'find' | 'move'>;
  readonly deadLetters: DeadLetterStore;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly rawQueue: string;
  readonly clock: Clock;
};

export type RetryDeadLetters = {
  /** False if there is no such dead letter. */
  retry(id: string): Promise<boolean>;
  /** Returns the number of retried dead letters. */
  retryAll(): Promise<number>;
};

const PAGE = { limit: 100, maxBytes: 1024 * 1024 } as const;

export function createRetryDeadLetters(parts: RetryDeadLetterParts): RetryDeadLetters {
  async function retryLetter(letter: DeadLetter): Promise<void> {
    if (letter.jobId === undefined)
      await parts.queue.publish(letter.queue, { id: letter.id, body: letter.body });
    else await requeue(parts, letter.jobId);
    await parts.deadLetters.remove(letter.id);
  }

  return {
    async retry(id) {
      const letter = await parts.deadLetters.find(id);
      if (letter) await retryLetter(letter);
      return letter !== undefined;
    },
    async retryAll() {
      let count = 0;
      let after: string | undefined;
      for (;;) {
        const { letters, next } = await parts.deadLetters.list({ ...PAGE, after });
        for (const letter of letters) await retryLetter(letter);
        count += letters.length;
        if (next === undefined) return count;
        after = next;
      }
    },
  };
}

async function requeue(parts: RetryDeadLetterParts, jobId: string): Promise<void> {
  const job = await parts.store.find({ id: jobId });
  // Another operator or server has already retried it.
  if (job?.state !== 'failed') return;
  const move = retried(job, parts.rawQueue, parts.clock.now());
  const message = messageFor(move.moved);
  await parts.store.move({ ...move, outbox: [{ queue: parts.rawQueue, message }] });
}
