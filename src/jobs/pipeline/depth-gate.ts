// Back-pressure from a queue: a job is moved to it only while fewer than `maxReady` jobs wait there for workers. The
// depth is measured again when the free places are used up, and at least four times a second while jobs pass. Rejects
// while the queue is unavailable.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';

export type DepthGateParts = {
  readonly queue: Pick<JobQueue, 'depth'>;
  readonly name: string;
  /** The maximum number of jobs that may wait on the queue; absent for no bound. */
  readonly maxReady: number | undefined;
  readonly clock: Clock;
};

/** True when a job may be moved; false when the signal is aborted first. */
export type DepthGate = () => Promise<boolean>;

const DEPTH_VALID_MS = 250;
const FULL_QUEUE_RETRY_MS = 100;

export function createDepthGate(parts: DepthGateParts, closing: AbortSignal): DepthGate {
  const { queue, name, maxReady, clock } = parts;
  let free = 0;
  let validUntilMs = Number.NEGATIVE_INFINITY;
  let measuring: Promise<void> | undefined;

  async function measure(max: number): Promise<void> {
    free = max - (await queue.depth(name)).ready;
    validUntilMs = clock.monotonic() + DEPTH_VALID_MS;
    if (free <= 0) await sleep(clock, FULL_QUEUE_RETRY_MS, closing).catch(() => {});
  }

  return async () => {
    if (maxReady === undefined) return !closing.aborted;
    while (!closing.aborted) {
      if (free > 0 && clock.monotonic() < validUntilMs) {
        free -= 1;
        return true;
      }
      measuring ??= measure(maxReady).finally(() => {
        measuring = undefined;
      });
      await measuring;
    }
    return false;
  };
}
