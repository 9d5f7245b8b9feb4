// A wait for Redis with an end of our own. A frozen Redis keeps its connections and answers nothing, and a request
// must not hang on it.

import type { Clock } from '../../../kernel/clock.ts';

export const LATE = Symbol('late');

/**
 * The answer, or LATE. The command may still be carried out; nobody waits for it any more and its failure is not told.
 * A process that was busy finds its timer due before it has read its sockets, and would call an answer late that is
 * already there: so the sockets are read once more first.
 */
export function answerWithin<T>(
  clock: Clock,
  limitMs: number,
  answer: Promise<T>,
): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => setImmediate(() => resolve(LATE)));
    answer.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (cause) => {
        cancel();
        reject(cause);
      },
    );
  });
}
