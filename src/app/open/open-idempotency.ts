// Deletes stored answers older than a day, every ten minutes. If the store is unavailable the next run deletes them;
// expired answers are never served in the meantime, because reads check their age.

import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { type Log, logFailure } from '../../kernel/log.ts';

export type IdempotencyParts = {
  readonly stores: readonly { deleteExpired(now: number): Promise<number> }[];
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export const PRUNE_INTERVAL_MS = 600_000;

export function openIdempotency({ stores, clock, log, lifecycle }: IdempotencyParts): void {
  const pruning = every(
    clock,
    // Jitter: servers that were started together do not prune together.
    () => PRUNE_INTERVAL_MS * (0.75 + 0.5 * clock.random()),
    async () => {
      for (const store of stores) await store.deleteExpired(clock.now());
    },
    (cause) =>
      logFailure(log, 'expired stored answers could not be deleted', cause, { level: 'warn' }),
  );
  lifecycle.onClose('stored answers', () => pruning.close());
}
