// When a request must have ended: as its caller says in `X-Request-Deadline-Ms`, and never later than the total clock.
// The header is a span in milliseconds, or a moment as epoch milliseconds: what is as large as a moment is one.

import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';

const HEADER = 'x-request-deadline-ms';
const MIN_MOMENT = 100_000_000_000;

/** On the monotonic clock, for a request that began at `startedAtMs`. */
export function readDeadline(
  headers: IncomingHttpHeaders,
  startedAtMs: number,
  totalMs: number,
  clock: Clock,
): number {
  const given = headers[HEADER];
  if (given === undefined) return startedAtMs + totalMs;
  const value = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (value <= 0) throw invalid();
  const spanMs = value < MIN_MOMENT ? value : value - clock.now();
  return startedAtMs + Math.min(Math.max(0, spanMs), totalMs);
}

function invalid(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the deadline is not a number of milliseconds', {
    params: { field: 'X-Request-Deadline-Ms' },
  });
}
