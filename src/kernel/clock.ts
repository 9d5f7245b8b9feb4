// The port for time and randomness. Code that waits, expires or jitters takes a Clock, so that a test controls time.
// `now` is wall time in epoch milliseconds; `monotonic` measures intervals and never goes back.

export type CancelTimer = () => void;

/** The port for time, timers and randomness; a test passes its own. */
export type Clock = {
  now(): number;
  monotonic(): number;
  random(): number;
  /** Calls `fn` once after `delayMs`. */
  after(delayMs: number, fn: () => void): CancelTimer;
};

/** setTimeout overflows above 2^31-1 ms and would fire immediately: a longer wait is divided into several timers. */
const MAX_LAP_MS = 2_147_483_647;

/** For servers: a timer never keeps the process alive. */
export const systemClock: Clock = Object.freeze(createClock(false));

/** For libraries: a timer keeps the process alive, because the caller awaits it. Also runs in browsers. */
export const foregroundClock: Clock = Object.freeze(createClock(true));

/** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    function onAbort(): void {
      cancel();
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function createClock(keepsAlive: boolean): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
    after(delayMs, fn) {
      let remainingMs = Math.max(0, delayMs);
      let timer = start();
      function start(): ReturnType<typeof setTimeout> {
        const started = setTimeout(lap, Math.min(remainingMs, MAX_LAP_MS));
        return keepsAlive ? started : started.unref();
      }
      function lap(): void {
        remainingMs -= MAX_LAP_MS;
        if (remainingMs <= 0) return fn();
        timer = start();
      }
      return () => clearTimeout(timer);
    },
  };
}
