// When those who were refused shall come back: each at the later of the moment its place is free and one interval after
// the one before it, so that they arrive at the rate the limit can serve and never as one herd. The moments are given
// by the limit that made them wait; limits that had room are not touched.

import type { LimitKind } from './rate-limiter.ts';
import type { LimitWindow } from './sliding-window.ts';

export type ComebackAsk = {
  readonly kind: LimitKind;
  readonly max: number;
  readonly windowMs: number;
  /** What the one who waits will take. */
  readonly cost: number;
};

/** Slots are waited for in seconds, whatever the length of a window. */
const SLOT_ROUND_MS = 1000;

/**
 * A place that is free is taken again a little later than it could be. Reckoned without that, those who wait would fall
 * behind their moments by as much in every window, for ever.
 */
export const REUSE_PART = 0.01;
export const REUSE_MOST_MS = 100;

/** The moment given, whole milliseconds on the caller's clock. */
export function giveComeback(window: LimitWindow, freeAt: number, ask: ComebackAsk): number {
  const next = Math.max(freeAt, window.comebackAt + comebackIntervalMs(ask));
  window.comebackAt = next;
  return Math.ceil(next);
}

export function comebackIntervalMs({ kind, max, windowMs, cost }: ComebackAsk): number {
  return kind === 'concurrent'
    ? SLOT_ROUND_MS / max
    : ((windowMs + reuseMs(windowMs)) * cost) / max;
}

function reuseMs(windowMs: number): number {
  return Math.min(windowMs * REUSE_PART, REUSE_MOST_MS);
}
