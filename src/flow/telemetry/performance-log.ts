// Log lines of type `performance`: a late event loop, slow requests, slow dependencies. A subject that stays slow has
// one line a minute, which counts the occurrences since the previous line. Metadata contains only numbers and names.

import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

export type PerformanceThresholds = {
  readonly slowRequestMs: number;
  readonly eventLoopDelayMs: number;
  readonly slowDependencyMs: number;
};

export type SlowRequest = {
  readonly requestId: string;
  readonly latencyMs: number;
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
  readonly streamed: boolean;
};

export type PerformanceLog = {
  readonly slowRequestMs: number;
  /** For a request of at least `slowRequestMs`. */
  slowRequest(request: SlowRequest): void;
  /** The longest delay of a timer since the last report. */
  eventLoop(maxMs: number, p99Ms: number): void;
  dependency(name: string, latencyMs: number): void;
};

const QUIET_MS = 60_000;

export function createPerformanceLog(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  thresholds: PerformanceThresholds,
): PerformanceLog {
  const { slowRequestMs, eventLoopDelayMs, slowDependencyMs } = thresholds;
  const subjects = new Map<string, { loggedAtMs: number; suppressed: number }>();

  function write(
    subject: string,
    message: string,
    metadata: Readonly<Record<string, unknown>>,
    requestId?: string,
  ): void {
    const nowMs = clock.monotonic();
    const known = subjects.get(subject);
    if (known && nowMs - known.loggedAtMs < QUIET_MS) {
      known.suppressed += 1;
      return;
    }
    subjects.set(subject, { loggedAtMs: nowMs, suppressed: 0 });
    const more = known && known.suppressed > 0 ? { sinceLastLine: known.suppressed } : {};
    const named = requestId === undefined ? {} : { requestId };
    const entry = { level: 'warn', type: 'performance', message } as const;
    log.write({ ...entry, ...named, metadata: { ...metadata, ...more } });
  }

  return {
    slowRequestMs,
    slowRequest({ requestId, ...facts }) {
      const message = `a request took ${Math.round(facts.latencyMs)} ms`;
      write('request', message, { ...facts, thresholdMs: slowRequestMs }, requestId);
    },
    eventLoop(maxMs, p99Ms) {
      if (maxMs < eventLoopDelayMs) return;
      const figures = { maxMs: Math.round(maxMs), p99Ms: Math.round(p99Ms) };
      const message = `the event loop was late by ${figures.maxMs} ms`;
      write('event loop', message, { ...figures, thresholdMs: eventLoopDelayMs });
    },
    dependency(name, latencyMs) {
      if (latencyMs < slowDependencyMs) return;
      const message = `${name} answered after ${Math.round(latencyMs)} ms`;
      const figures = { dependency: name, latencyMs: Math.round(latencyMs) };
      write(`dependency ${name}`, message, { ...figures, thresholdMs: slowDependencyMs });
    },
  };
}
