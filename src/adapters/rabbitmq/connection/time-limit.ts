// Every wait on the broker has an end of our own: a frozen broker keeps its connections and answers nothing, and
// the driver waits for an answer for ever.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { Clock } from '../../../kernel/clock.ts';

/** How long a question to the broker (a declaration, opening a channel) may take. */
export const ANSWER_WITHIN_MS = 10_000;

/** The work goes on when its time is up; nobody waits for it any more and its failure is not told. */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  what: string,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(tooLate(what, limitMs)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

export function tooLate(what: string, limitMs: number): SpillwayError {
  const waited = `${Math.round(limitMs)} ms`;
  return new SpillwayError('CAPACITY_EXHAUSTED', `RabbitMQ did not ${what} within ${waited}`);
}
