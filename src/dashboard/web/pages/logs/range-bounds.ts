// The bounds of the time range for lists. The start of a named range moves by whole minutes, so that the address of the list,
// and with it the opened pages, stays the same within a minute.

import type { RangeName } from '../../../api/time-series.ts';
import { type ShownRange, shownRange } from '../../app/time-range.ts';

export { shownRange };

const LENGTHS_MS: Readonly<Record<RangeName, number>> = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
};

/** The length is rounded up to steps: a list of seven days does not restart every minute. */
export function rangeStart(range: ShownRange, nowMs: number): number {
  if (range.kind === 'custom') return range.from;
  const length = LENGTHS_MS[range.name];
  const step = Math.max(60_000, length / 12);
  return Math.floor((nowMs - length) / step) * step;
}
