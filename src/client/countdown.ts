// Waiting for a point in time. The remaining time is computed from the wall clock at every tick, so that a tab that slept
// shows the right number, and is ready immediately if the time has passed, when it wakes.

import { after, now, onWake } from './browser-clock.ts';

/** The options of `waitUntil` and `countdown`. */
export type WaitOptions = { readonly signal?: AbortSignal | undefined };

const SECOND_MS = 1000;

/**
 * Calls `onTick` with the remaining milliseconds: immediately, at every full second, when the tab wakes, and finally with 0.
 * The returned function stops it.
 */
export function countdown(
  until: number,
  onTick: (remainingMs: number) => void,
  { signal }: WaitOptions = {},
): () => void {
  let cancelTimer = () => {};
  const endWakes = onWake(tick);

  function stop(): void {
    cancelTimer();
    endWakes();
    signal?.removeEventListener('abort', stop);
  }

  function tick(): void {
    cancelTimer();
    const remainingMs = Math.max(0, until - now());
    if (remainingMs > 0) cancelTimer = after(remainingMs % SECOND_MS || SECOND_MS, tick);
    else stop();
    onTick(remainingMs);
  }

  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  else tick();
  return stop;
}

/** Resolves at `until`, never before; rejects with the signal's reason when it is aborted first. */
export function waitUntil(until: number, options: WaitOptions = {}): Promise<void> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    countdown(
      until,
      (remainingMs) => {
        if (remainingMs > 0) return;
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      options,
    );
  });
}

/** `1:05`, or `2:03:09` from an hour on; the last started second counts as whole. */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.ceil(Math.max(0, remainingMs) / SECOND_MS);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes];
  return [...parts, twoDigits(seconds % 60)].join(':');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
