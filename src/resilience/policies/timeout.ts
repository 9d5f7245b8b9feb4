// Ends an operation after a time: its signal is aborted and the call rejects at once, even if the operation ignores the
// signal. A later outcome of that operation is dropped.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import { checkNumbers } from './checked-options.ts';
import { attempt, type Policy } from './policy.ts';

/**
 * The options of `timeout`.
 *
 * @example
 * import type { TimeoutOptions } from 'spillway/resilience';
 *
 * export const options: TimeoutOptions = { ms: 2000 };
 */
export type TimeoutOptions = {
  readonly ms: number;
  readonly clock?: Clock;
};

/**
 * Rejects with NETWORK_TIMEOUT (`phase: 'total'`) when the operation takes longer than `ms`, and aborts its signal.
 *
 * @example
 * import { timeout } from 'spillway/resilience';
 *
 * const hurried = timeout({ ms: 2000 });
 * console.log((await hurried((signal) => fetch('http://127.0.0.1:8787/health', { signal }))).status);
 */
export function timeout(options: TimeoutOptions): Policy {
  checkNumbers('timeout', { ms: options.ms ?? Number.NaN }, { ms: { min: 1 } });
  const { ms, clock = foregroundClock } = options;
  return (operation, signal) =>
    new Promise((resolve, reject) => {
      const own = new AbortController();

      function end(): void {
        cancel();
        signal?.removeEventListener('abort', onAbort);
      }
      function giveUp(reason: unknown): void {
        end();
        own.abort(reason);
        reject(reason);
      }
      function onAbort(): void {
        giveUp(signal?.reason);
      }

      const cancel = clock.after(ms, () => giveUp(timedOut(ms)));
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      attempt(operation, own.signal).then(resolve, reject).finally(end);
    });
}

function timedOut(ms: number): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', `the operation took longer than ${ms} ms`, {
    params: { phase: 'total' },
    isTimedOut: true,
  });
}
