// Returns memory to the system that V8 would keep until memory is short: after the start, whose modules leave a heap twice
// as large as the server needs, and after a burst of load, whose garbage leaves a heap of any size. Such a collection blocks
// the process for tens of milliseconds and discards compiled code, which slows the requests after it, so it runs only while
// the server is idle.

import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';

const CHECK_MS = 5000;
/** Memory that is in use cannot be released: the attempt is repeated, but rarely. */
const MIN_PAUSE_MS = 20_000;
const MAX_GROWTH_BYTES = 48 * 2 ** 20;
/** The share of time that the event loop works; above it the server has requests to serve. */
const MAX_UTILIZATION = 0.02;

/** Releases memory now, and whenever the server has grown and is idle. */
export function keepMemoryReleased(clock: Clock): Repetition {
  releaseMemory();
  const base = process.memoryUsage.rss();
  let releasedAtMs = clock.monotonic();
  let before = performance.eventLoopUtilization();
  return every(clock, CHECK_MS, () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > MAX_UTILIZATION) return;
    if (process.memoryUsage.rss() - base < MAX_GROWTH_BYTES) return;
    if (clock.monotonic() - releasedAtMs < MIN_PAUSE_MS) return;
    releaseMemory();
    releasedAtMs = clock.monotonic();
  });
}

function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
