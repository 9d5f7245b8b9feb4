// A time limit for an answer of Redis. A frozen Redis keeps its connections open and answers nothing; a request must not
// hang on it.

import type { Clock } from '../../../kernel/clock.ts';

export const LATE = Symbol('late');

/**
 * The answer, or LATE. Redis may still run a late command; its outcome is dropped. The timer of a busy process fires before
 * the sockets are read, so one more turn of the event loop keeps an answer that has already arrived from counting as late.
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
