// Forgets kept answers whose day is over, every few minutes. A store that is away is asked again at the next turn;
// nothing waits for this, because an old answer is as good as none whether it was forgotten or not.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';

export type IdempotencyParts = {
  readonly stores: readonly { forgetOld(now: number): Promise<number> }[];
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export const FORGET_EVERY_MS = 600_000;

export function openIdempotency({ stores, clock, log, lifecycle }: IdempotencyParts): void {
  let cancel: CancelTimer = () => {};
  let sweeping: Promise<void> = Promise.resolve();
  let isClosed = false;

  function wait(): void {
    // Servers that were started together do not all sweep at once.
    const delayMs = FORGET_EVERY_MS * (0.75 + 0.5 * clock.random());
    if (isClosed) return;
    cancel = clock.after(delayMs, () => {
      sweeping = sweep();
    });
  }

  async function sweep(): Promise<void> {
    try {
      for (const store of stores) await store.forgetOld(clock.now());
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'unknown';
      const message = 'kept answers could not be forgotten';
      log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
    }
    wait();
  }

  wait();
  lifecycle.onClose('kept answers', async () => {
    isClosed = true;
    cancel();
    await sweeping;
  });
}
