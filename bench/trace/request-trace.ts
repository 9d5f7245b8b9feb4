// A trace of requests: arrival time since the first request, and size. read-trace.ts (a file) and make-trace.ts (a
// seed) produce it; this file answers the few questions a replay asks. Pure.

export type TracedRequest = {
  /** Since the first request of the trace. */
  readonly atMs: number;
  readonly contextTokens: number;
  readonly generatedTokens: number;
};

/** In order of arrival. */
export type RequestTrace = readonly TracedRequest[];

const MINUTE_MS = 60_000;

export function durationMs(trace: RequestTrace): number {
  return trace.at(-1)?.atMs ?? 0;
}

export function perMinute(trace: RequestTrace): number {
  return (trace.length * MINUTE_MS) / Math.max(MINUTE_MS, durationMs(trace));
}

/** The number of requests in the busiest minute; minutes count from the first request. */
export function peakMinute(trace: RequestTrace): number {
  const minutes = Map.groupBy(trace, ({ atMs }) => Math.floor(atMs / MINUTE_MS));
  return Math.max(0, ...[...minutes.values()].map(({ length }) => length));
}

/** The part of this length with the most requests, with times relative to its first request. */
export function busiestPart(trace: RequestTrace, lengthMs: number): RequestTrace {
  let [from, to, most] = [0, 0, [0, 0]];
  for (; from < trace.length; from += 1) {
    const endMs = (trace[from]?.atMs ?? 0) + lengthMs;
    while ((trace[to]?.atMs ?? Number.POSITIVE_INFINITY) < endMs) to += 1;
    if (to - from > (most[1] ?? 0) - (most[0] ?? 0)) most = [from, to];
  }
  return fromFirst(trace.slice(...most));
}

/** The same trace with times relative to its first request. */
export function fromFirst(trace: RequestTrace): RequestTrace {
  const startMs = trace[0]?.atMs ?? 0;
  return trace.map((request) => ({ ...request, atMs: request.atMs - startMs }));
}
