// Memory, uptime and event-loop delay of this process.

import { monitorEventLoopDelay } from 'node:perf_hooks';

export type ProcessFigures = {
  readonly memoryRSS: number;
  readonly memoryHeapUsed: number;
  /** In seconds. */
  readonly uptime: number;
  /** Since the last reading: how late timers fire. */
  readonly eventLoopDelayMs: { readonly mean: number; readonly max: number };
};

/** Sampling of the event loop starts with the first reading, so that a process without readers does not pay for it. */
export type ProcessMeter = { read(): ProcessFigures; close(): void };

const RESOLUTION_MS = 50;
const NANOS_PER_MS = 1e6;

export function createProcessMeter(): ProcessMeter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  return {
    read() {
      histogram.enable();
      const { rss, heapUsed } = process.memoryUsage();
      const { mean, max, count } = histogram;
      histogram.reset();
      return {
        memoryRSS: rss,
        memoryHeapUsed: heapUsed,
        uptime: Math.round(process.uptime() * 1000) / 1000,
        // The histogram includes its own sampling interval.
        eventLoopDelayMs:
          count === 0 ? { mean: 0, max: 0 } : { mean: lateMs(mean), max: lateMs(max) },
      };
    },
    close: () => void histogram.disable(),
  };
}

function lateMs(nanos: number): number {
  return Math.max(0, Math.round((nanos / NANOS_PER_MS - RESOLUTION_MS) * 100) / 100);
}
