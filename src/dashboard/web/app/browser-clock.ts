// Time in the browser; no other file of the pages reads the time or starts a timer. `nowMs` is a signal that moves
// once a second while a component reads it, so that every countdown on a page changes together. It follows the server's
// clock, so that a computer with a wrong clock shows correct countdowns.

import { computed, signal } from '@preact/signals';

const SECOND_MS = 1000;
const browserNow = signal(Date.now());
const offsetMs = signal(0);

/** The server's present time, moving once a second. */
export const nowMs = computed(() => browserNow.value + offsetMs.value);

/** The server's present time, exact, for use outside rendering. */
export function now(): number {
  return Date.now() + offsetMs.peek();
}

/** Called with the time in an answer of the server. A difference below a second is attributed to the network. */
export function followServerTime(serverMs: number): void {
  const difference = serverMs - Date.now();
  if (Math.abs(difference - offsetMs.peek()) > SECOND_MS) offsetMs.value = difference;
}

/** Moves the shown time immediately, between two ticks: called before a new countdown is shown. */
export function refreshNow(): void {
  browserNow.value = Date.now();
}

/** Starts the tick at full seconds. A hidden page does not tick; it catches up when it is shown. */
export function startClock(): void {
  const tick = (): void => {
    if (!document.hidden) browserNow.value = Date.now();
    window.setTimeout(tick, SECOND_MS - (Date.now() % SECOND_MS));
  };
  tick();
  document.addEventListener('visibilitychange', () => {
    browserNow.value = Date.now();
  });
}

/** Calls once after a time; returns the cancel. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
