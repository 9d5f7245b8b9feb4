// Timeouts for waits on the broker. A frozen broker keeps its connections open and answers nothing, and the driver
// waits forever.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { Clock } from '../../../kernel/clock.ts';

/** For a declaration or the opening of a channel. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** The work continues after the timeout; its outcome is dropped. */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  what: string,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(timeoutError(what, limitMs)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

export function timeoutError(what: string, limitMs: number): SpillwayError {
  const waited = `${Math.round(limitMs)} ms`;
  return new SpillwayError('CAPACITY_EXHAUSTED', `RabbitMQ did not ${what} within ${waited}`);
}
