// The caller's own deadline, from `X-Request-Deadline-Ms`: a duration in milliseconds, or a timestamp in epoch
// milliseconds; large values are timestamps. It ends a request in any state, even a stream that is flowing.

import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';

const HEADER = 'x-request-deadline-ms';
const MIN_TIMESTAMP = 100_000_000_000;

/**
 * On the monotonic clock, for a request that began at `startedAtMs`; undefined when the caller sets none. Throws
 * INVALID_REQUEST.
 */
export function readDeadline(
  headers: IncomingHttpHeaders,
  startedAtMs: number,
  clock: Clock,
): number | undefined {
  const given = headers[HEADER];
  if (given === undefined) return undefined;
  const value = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (value <= 0) throw invalid();
  const durationMs = value < MIN_TIMESTAMP ? value : value - clock.now();
  return startedAtMs + Math.max(0, durationMs);
}

function invalid(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the deadline is not a number of milliseconds', {
    params: { field: 'X-Request-Deadline-Ms' },
  });
}
