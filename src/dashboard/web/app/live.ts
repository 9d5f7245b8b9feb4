// The live state of the cluster, over server-sent events. The server sends about one event a second; a component reads
// the part that it shows, and an unchanged part causes no rendering.
//
// States: connecting → live ⇄ stale (no event for some seconds; the last state stays on the page, with a notice). A closed
// stream is opened again with a growing delay; the server closes it when it drains, when it is full, or when the session
// has ended.

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { LiveState } from '../../api/live.ts';
import { isEqual } from '../data/is-equal.ts';
import { after, followServerTime, now, nowMs, refreshNow } from './browser-clock.ts';
import { readSession } from './sign-in.ts';

const STALE_AFTER_MS = 6000;
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000];

const latest = signal<LiveState | undefined>(undefined);

/** The parts of the latest state; undefined before the first event. */
export const live = {
  cluster: part('cluster'),
  state: part('state'),
  findings: part('findings'),
  minute: part('minute'),
  limits: part('limits'),
  circuits: part('circuits'),
  alerts: part('alerts'),
  servers: part('servers'),
  revisions: part('revisions'),
} as const;

const lastEventAt = signal(0);

/** When the shown state was last confirmed, if the page is stale; undefined while it is live. */
export const staleSince = computed(() => {
  if (lastEventAt.value === 0) return undefined;
  return nowMs.value - lastEventAt.value > STALE_AFTER_MS ? lastEventAt.value : undefined;
});

/** Opens the stream; returns the close. */
export function startLive(): () => void {
  let source: EventSource | undefined;
  let cancelRetry = (): void => {};
  let failures = 0;

  function open(): void {
    source = new EventSource('/admin/dashboard/live');
    source.addEventListener('state', (event) => {
      failures = 0;
      accept(event.data);
    });
    source.addEventListener('error', retry);
  }

  /** The browser's own retry stops permanently on an HTTP error and does not check whether the session has ended. */
  function retry(): void {
    source?.close();
    cancelRetry();
    const delayMs = RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)] ?? 10_000;
    failures += 1;
    cancelRetry = after(delayMs, () => {
      void readSession();
      open();
    });
  }

  open();
  return () => {
    cancelRetry();
    source?.close();
    latest.value = undefined;
    lastEventAt.value = 0;
  };
}

function accept(data: unknown): void {
  const state = JSON.parse(String(data)) as LiveState;
  followServerTime(state.now);
  // A countdown that begins with this event begins with its full time.
  if (!isEqual(latest.peek()?.limits, state.limits)) refreshNow();
  latest.value = state;
  lastEventAt.value = now();
}

/** A signal that changes only when the content of the part does. */
function part<Name extends keyof LiveState>(
  name: Name,
): ReadonlySignal<LiveState[Name] | undefined> {
  let kept: LiveState[Name] | undefined;
  return computed(() => {
    const next = latest.value?.[name];
    if (!isEqual(kept, next)) kept = next;
    return kept;
  });
}
