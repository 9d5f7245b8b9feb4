// The port for time and randomness. Code that waits, expires or jitters takes a Clock, so that a test controls time.
// `now` is wall time in epoch milliseconds; `monotonic` measures intervals and never goes back.

export type CancelTimer = () => void;

export type Clock = {
  now(): number;
  monotonic(): number;
  random(): number;
  /** Calls `fn` once after `delayMs`; the timer does not keep the process alive. */
  after(delayMs: number, fn: () => void): CancelTimer;
};

/** setTimeout overflows above 2^31-1 ms and would fire at once: longer waits are cut into laps. */
const MAX_LAP_MS = 2_147_483_647;

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  after(delayMs: number, fn: () => void): CancelTimer {
    let remainingMs = Math.max(0, delayMs);
    let timer = setTimeout(lap, Math.min(remainingMs, MAX_LAP_MS)).unref();
    function lap(): void {
      remainingMs -= MAX_LAP_MS;
      if (remainingMs <= 0) return fn();
      timer = setTimeout(lap, Math.min(remainingMs, MAX_LAP_MS)).unref();
    }
    return () => clearTimeout(timer);
  },
});

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
