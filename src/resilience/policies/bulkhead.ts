// Bounds the operations that run at once, so that one slow dependency cannot use up the whole process. Further operations
// wait in order of arrival, up to a bound; beyond it they are refused at once.
//
// States of an operation: queued → running → ended; queued → ended when the caller gives up.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { checkNumbers } from './checked-options.ts';
import { attempt, type Policy } from './policy.ts';

/**
 * The options of `bulkhead`.
 *
 * @example
 * import type { BulkheadOptions } from 'spillway/resilience';
 *
 * export const options: BulkheadOptions = { concurrent: 10, queued: 50 };
 */
export type BulkheadOptions = {
  /** The operations that may run at once. */
  readonly concurrent: number;
  /** The operations that may wait; 0 by default. */
  readonly queued?: number;
  /** The delay that a refusal states; 1000 by default. The time at which a slot opens is unknown. */
  readonly retryAfterMs?: number;
};

/**
 * A policy with its present load.
 *
 * @example
 * import { type Bulkhead, bulkhead } from 'spillway/resilience';
 *
 * const images: Bulkhead = bulkhead({ concurrent: 4 });
 * const { running, queued } = images.load();
 * console.log(running, queued);
 */
export type Bulkhead = Policy & {
  load(): { readonly running: number; readonly queued: number };
};

/**
 * Runs at most `concurrent` operations at once; at most `queued` more wait. Further ones are refused with
 * CAPACITY_EXHAUSTED.
 *
 * @example
 * import { bulkhead } from 'spillway/resilience';
 *
 * const images = bulkhead({ concurrent: 4, queued: 20 });
 * const drawings = ['a cat', 'a dog'].map((prompt) => images(async () => `a picture of ${prompt}`));
 * console.log(await Promise.all(drawings));
 */
export function bulkhead(options: BulkheadOptions): Bulkhead {
  const given = { ...options, concurrent: options.concurrent ?? Number.NaN };
  checkNumbers('bulkhead', given, RULES);
  const { concurrent, queued: maxQueued = 0, retryAfterMs = 1000 } = options;
  const waiting = new Set<() => void>();
  let running = 0;

  /** Resolves with the slot taken. */
  async function acquire(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < concurrent && waiting.size === 0) return void (running += 1);
    if (waiting.size >= maxQueued) throw full(retryAfterMs);
    await new Promise<void>((resolve, reject) => {
      function start(): void {
        signal?.removeEventListener('abort', leave);
        resolve();
      }
      function leave(): void {
        waiting.delete(start);
        reject(signal?.reason);
      }
      waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot on to the operation that has waited longest. */
  function release(): void {
    const [next] = waiting;
    if (!next) return void (running -= 1);
    waiting.delete(next);
    next();
  }

  const policy: Policy = async (operation, signal) => {
    await acquire(signal);
    try {
      return await attempt(operation, signal);
    } finally {
      release();
    }
  };
  return Object.assign(policy, { load: () => ({ running, queued: waiting.size }) });
}

const RULES = {
  concurrent: { min: 1, isWhole: true },
  queued: { min: 0, isWhole: true },
  retryAfterMs: { min: 0 },
};

function full(retryAfterMs: number): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', 'all slots and queue places are in use', {
    params: { retryAfterMs },
    retryAfterMs,
  });
}
