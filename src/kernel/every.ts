// Repeats background work: retention, sweeps, gauges, polls. One run at a time: the interval starts when a run has
// ended, so slow work spreads out instead of piling up. A failed run goes to `onError` and the next one starts after
// the usual interval. Closing aborts the signal of the run in flight and waits for it.

import type { CancelTimer, Clock } from './clock.ts';

export type Repetition = {
  /** Starts a run, or joins the run in flight; rejects with its error. After close it starts nothing. */
  runNow(): Promise<void>;
  /** Idempotent; never rejects. */
  close(): Promise<void>;
};

export type RepeatedWork = (closing: AbortSignal) => void | Promise<void>;

/** Runs `work` each `intervalMs`, the first time after one interval. A function gives each interval anew (jitter). */
export function every(
  clock: Clock,
  intervalMs: number | (() => number),
  work: RepeatedWork,
  onError: (cause: unknown) => void = () => {},
): Repetition {
  const closing = new AbortController();
  const { signal } = closing;
  let cancelTimer: CancelTimer = () => {};
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    await work(signal);
  }

  function runNow(): Promise<void> {
    if (!running && signal.aborted) return Promise.resolve();
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(): void {
    if (signal.aborted) return;
    const delayMs = typeof intervalMs === 'number' ? intervalMs : intervalMs();
    cancelTimer = clock.after(delayMs, () => void runNow().catch(report).then(schedule));
  }

  function report(cause: unknown): void {
    if (!signal.aborted) onError(cause);
  }

  schedule();
  return {
    runNow,
    async close() {
      closing.abort();
      cancelTimer();
      await running?.catch(() => {});
    },
  };
}
