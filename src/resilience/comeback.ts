// When those who were refused shall come back: each at the later of the moment its place is free and one interval after
// the one before it, so that they arrive at the rate the limit can serve and never as one herd. The moments are given
// by the limit that made them wait; limits that had room are not touched.

import type { LimitKind, LimitWindow } from './sliding-window.ts';

export type ComebackAsk = {
  readonly kind: LimitKind;
  readonly max: number;
  readonly windowMs: number;
  /** What the one who waits will take. */
  readonly cost: number;
};

/** Slots are waited for in seconds, whatever the length of a window. */
const SLOT_ROUND_MS = 1000;

/** The moment given, whole milliseconds on the caller's clock. */
export function giveComeback(window: LimitWindow, freeAt: number, ask: ComebackAsk): number {
  const next = Math.max(freeAt, window.comebackAt + comebackIntervalMs(ask));
  window.comebackAt = next;
  return Math.ceil(next);
}

export function comebackIntervalMs({ kind, max, windowMs, cost }: ComebackAsk): number {
  return kind === 'concurrent' ? SLOT_ROUND_MS / max : (windowMs * cost) / max;
}
