// The log line of a dead letter. It names the job and the cause by its code; the message itself stays in the store.

import type { Log } from '../../kernel/log.ts';
import type { DeadLetter } from '../ports/dead-letter-store.ts';

/** `reason` is Spillway's own sentence about a message that it cannot read. */
export function logDeadLetter(log: Log, letter: DeadLetter, reason?: string): void {
  const { id, jobId, organizationId, queue, errorCode, attempts } = letter;
  log.write({
    level: 'error',
    type: 'error',
    message: jobId === undefined ? 'message is a dead letter' : 'job is a dead letter',
    metadata: {
      event: 'dead_letter',
      id,
      jobId,
      organizationId,
      queue,
      code: errorCode,
      attempts,
      reason,
    },
  });
}
