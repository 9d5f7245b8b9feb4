// Measures how late the timers of this process fire: the delay that every request meets. The histogram is native and
// costs one timer.

import { monitorEventLoopDelay } from 'node:perf_hooks';

export type EventLoopDelay = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export type EventLoopMeter = {
  /** The delays since the last reading. */
  read(): EventLoopDelay;
  close(): void;
};

const RESOLUTION_MS = 20;
const NANOS_PER_MS = 1e6;

export function startEventLoopMeter(): EventLoopMeter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    read() {
      const { count, max } = histogram;
      const delay =
        count === 0
          ? { p50Ms: 0, p99Ms: 0, maxMs: 0 }
          : {
              p50Ms: lateMs(histogram.percentile(50)),
              p99Ms: lateMs(histogram.percentile(99)),
              maxMs: lateMs(max),
            };
      histogram.reset();
      return delay;
    },
    close: () => void histogram.disable(),
  };
}

/** The histogram includes its own sampling interval. */
function lateMs(nanos: number): number {
  return Math.max(0, nanos / NANOS_PER_MS - RESOLUTION_MS);
}
