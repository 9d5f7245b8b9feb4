// Time, timers and wake-ups of a page; the rest of the client has no other access to them. Wall time is used for every
// deadline, because timers of a hidden or sleeping tab run late or not at all; `onWake` reports that the page runs again.
// Functions instead of an injected clock keep the client small; tests replace the page's timers and `Date`.

const WAKE_EVENTS = ['visibilitychange', 'pageshow', 'resume', 'online'];
/** setTimeout overflows above 2^31-1 ms and would fire immediately; waiting code reads the time again after this delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Epoch milliseconds of this device. */
export function now(): number {
  return Date.now();
}

export function random(): number {
  return Math.random();
}

/** Calls `fn` once after `delayMs`; the returned function cancels the timer. */
export function after(delayMs: number, fn: () => void): () => void {
  const timer = setTimeout(fn, Math.min(delayMs, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

/**
 * Calls `fn` when the page is visible, restored, resumed or online again; the returned function ends that. Outside a browser
 * nothing wakes.
 */
export function onWake(fn: () => void): () => void {
  // Capturing listeners of the window also see the events of its document that do not bubble.
  for (const name of WAKE_EVENTS) globalThis.addEventListener?.(name, fn, true);
  return () => {
    for (const name of WAKE_EVENTS) globalThis.removeEventListener?.(name, fn, true);
  };
}
