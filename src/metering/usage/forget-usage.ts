// Forgets old usage records now and then, a few at a time, so that nobody else has to wait for it. Sums and budgets stay.
// Several processes may do so at once: what one has forgotten the other does not find. A store that is away is asked
// again next time.

import { type CancelTimer, type Clock, sleep } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { UsageStore } from './usage-store.ts';

export type ForgetUsageParts = {
  readonly usage: Pick<UsageStore, 'forget'>;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

const EVERY_MS = 600_000;
const AT_ONCE = 500;
const BETWEEN_MS = 50;

export function startForgettingUsage(parts: ForgetUsageParts): { close(): Promise<void> } {
  const { usage, keptMs, clock, log } = parts;
  const closing = new AbortController();
  let cancelTimer: CancelTimer = clock.after(EVERY_MS, tick);
  let forgetting = Promise.resolve();

  function tick(): void {
    forgetting = forgetAll().catch((cause: unknown) => {
      if (!closing.signal.aborted) tell(log, cause);
    });
    void forgetting.then(() => {
      if (!closing.signal.aborted) cancelTimer = clock.after(EVERY_MS, tick);
    });
  }

  async function forgetAll(): Promise<void> {
    const before = clock.now() - keptMs;
    while ((await usage.forget(before, AT_ONCE)) === AT_ONCE)
      await sleep(clock, BETWEEN_MS, closing.signal);
  }

  return {
    async close() {
      closing.abort();
      cancelTimer();
      await forgetting;
    },
  };
}

function tell(log: Log, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = 'old usage records could not be forgotten';
  log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
}
