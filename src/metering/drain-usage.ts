// Carries usage records from the local journal to the store, in batches, for as long as it takes: while
// the store is away the journal keeps them. States: idle → waiting (a record came) → storing → idle.

import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Journal } from './journal.ts';
import type { UsageRecord } from './usage-record.ts';
import type { UsageStore } from './usage-store.ts';

const BATCH_RECORDS = 500;
/** Short, because what waits here has to be carried along by every collection of young memory. */
const GATHER_MS = 100;
const LONGEST_PAUSE_MS = 5000;

export type UsageDrain = {
  /** Says that the journal has something new; cheap enough to be called for every record. */
  wake(): void;
  /** Stores all there is, once; rejects when the store is away. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type UsageDrainParts = {
  readonly journal: Journal<UsageRecord>;
  readonly store: Pick<UsageStore, 'insertBatch'>;
  readonly clock: Clock;
  readonly log: Log;
};

export function createUsageDrain({ journal, store, clock, log }: UsageDrainParts): UsageDrain {
  let cancelTimer: CancelTimer | undefined;
  let running: Promise<void> | undefined;
  let failuresInARow = 0;
  let isClosed = false;
  /** A record that comes during a pass may be written too late for it. */
  let isWokenMeanwhile = false;

  function wake(): void {
    if (running) isWokenMeanwhile = true;
    if (cancelTimer || running || isClosed) return;
    cancelTimer = clock.after(pauseMs(), () => {
      cancelTimer = undefined;
      void flush().catch(() => wake());
    });
  }

  function pauseMs(): number {
    return Math.min(GATHER_MS * 2 ** Math.min(failuresInARow, 10), LONGEST_PAUSE_MS);
  }

  function flush(): Promise<void> {
    running ??= storeAll().finally(() => {
      running = undefined;
      if (isWokenMeanwhile) wake();
      isWokenMeanwhile = false;
    });
    return running;
  }

  async function storeAll(): Promise<void> {
    try {
      for (let batch = journal.oldest(BATCH_RECORDS); batch.length > 0; ) {
        await store.insertBatch(batch);
        journal.release(batch.length);
        batch = journal.oldest(BATCH_RECORDS);
      }
      if (failuresInARow > 0) tell('info', 'usage records reach the store again');
      failuresInARow = 0;
    } catch (cause) {
      failuresInARow += 1;
      if (failuresInARow === 1)
        tell('error', 'usage records wait in the journal: the store is away', cause);
      throw cause;
    }
  }

  function tell(level: 'info' | 'error', message: string, cause?: unknown): void {
    const reason = cause instanceof Error ? { reason: cause.message } : {};
    log.write({
      level,
      type: 'error',
      message,
      metadata: { backlog: journal.backlog(), ...reason },
    });
  }

  return {
    wake,
    flush,
    async close() {
      isClosed = true;
      cancelTimer?.();
      // What cannot be stored now stays in the journal and is stored by the next start.
      await flush().catch(() => {});
    },
  };
}
