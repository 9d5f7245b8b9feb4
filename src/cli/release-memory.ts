// Returns memory to the system that V8 would keep until memory is short: after the start, when loaded modules leave a
// heap twice as large as the server needs, and after a burst of load, when garbage leaves a heap of any size. Such a
// collection blocks the process for tens of milliseconds and discards compiled code, which slows the following thousands
// of requests by half, so it waits until the server has been idle, a server with requests runs it rarely, and a busy
// server never.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';

const CHECK_MS = 2500;
const MAX_GROWTH_BYTES = 48 * 2 ** 20;
/** A server is idle when it has used less than this share of one processor for this time; callers pause for seconds. */
const IDLE_SHARE = 0.03;
const IDLE_MS = 7000;
const BUSY_SHARE = 0.3;
/** Memory that is in use cannot be released: the attempt is repeated, but rarely, and more rarely by a server with requests. */
const IDLE_PAUSE_MS = 20_000;
const PAUSE_MS = 600_000;

/** Releases memory now, and whenever the server has grown and has little to do. */
export function keepMemoryReleased(clock: Clock): Repetition {
  releaseMemory();
  const base = process.memoryUsage.rss();
  let releasedAtMs = clock.monotonic();
  let busyAtMs = releasedAtMs;
  let last = { atMs: clock.monotonic(), usage: process.cpuUsage() };
  return every(clock, CHECK_MS, () => {
    const atMs = clock.monotonic();
    const usage = process.cpuUsage();
    const { user, system } = process.cpuUsage(last.usage);
    const share = (user + system) / 1000 / Math.max(1, atMs - last.atMs);
    last = { atMs, usage };
    if (share > IDLE_SHARE) busyAtMs = atMs;
    if (share > BUSY_SHARE) return;
    if (process.memoryUsage.rss() - base < MAX_GROWTH_BYTES) return;
    const isIdle = atMs - busyAtMs > IDLE_MS;
    if (atMs - releasedAtMs < (isIdle ? IDLE_PAUSE_MS : PAUSE_MS)) return;
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
