// Forgets build events that are older than they are kept, a few at a time and now and then, so that nobody who writes
// or reads waits for it. Several processes may do so at once. What cannot be forgotten now is forgotten later.

import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { BuildEventStore } from './build-event-store.ts';

export type ForgetParts = {
  readonly store: Pick<BuildEventStore, 'forget'>;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

const EVERY_MS = 600_000;
const AT_ONCE = 500;

export function startForgetting(parts: ForgetParts): { close(): Promise<void> } {
  const { store, keptMs, clock, log } = parts;
  let isClosed = false;
  let forgetting: Promise<void> | undefined;
  let cancelTimer: CancelTimer = clock.after(EVERY_MS, tick);

  function tick(): void {
    forgetting = forgetAll()
      .catch((cause: unknown) => tell(log, cause))
      .finally(() => {
        if (!isClosed) cancelTimer = clock.after(EVERY_MS, tick);
      });
  }

  async function forgetAll(): Promise<void> {
    const forgotten = await store.forget(clock.now() - keptMs, AT_ONCE);
    if (forgotten === AT_ONCE && !isClosed) return forgetAll();
  }

  return {
    async close() {
      isClosed = true;
      cancelTimer();
      await forgetting;
    },
  };
}

function tell(log: Log, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = 'old build events could not be forgotten';
  log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
}
