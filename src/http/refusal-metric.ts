// Counts the requests that are refused before any call: wrong keys, unknown paths, malformed bodies, exhausted quotas. Codes
// are Spillway's own, so the labels are bounded.

import type { ErrorCode } from '../errors/codes.ts';
import type { Metrics } from '../kernel/metrics.ts';

export function createRefusalMetric(metrics: Metrics): (code: ErrorCode) => void {
  const refusals = metrics.counter(
    'http.request.refused',
    'Requests refused before a call, by error code.',
    ['code'],
  );
  return (code) => {
    refusals.cell(code).value += 1;
  };
}
