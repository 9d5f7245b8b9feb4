// Stores the entries of the local journal in batches. While the store is unavailable the journal keeps them, and the drain
// tries again after a growing pause. States: idle → waiting (an entry was written) → storing → waiting or idle.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetReservation } from '../budgets/budget-reservation.ts';
import type { CrossedThreshold } from '../budgets/budget-threshold.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { JournalSorter, type OpenAttempts } from './journal-sorter.ts';
import { createMutex, type Mutex } from './mutex.ts';
import type { UsageRecord } from './usage-record.ts';
import type { UsageStore } from './usage-store.ts';

/** A full batch is stored at once: entries that wait any longer survive a second scavenge and are promoted. */
const MAX_BATCH = 1000;
const GATHER_MS = 100;
const MAX_PAUSE_MS = 5000;

export type UsageDrain = {
  /** The journal has a new entry. Cheap enough to be called for every record. */
  wake(): void;
  /** Stores all entries, once; rejects if the store is unavailable. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** The listener of the drain: a ledger, which keeps track of the stored records. */
export type DrainListener = OpenAttempts & {
  /** The store has these records, and these reservations of attempts that have not ended. */
  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void;
};

export type UsageDrainParts = {
  readonly journal: Journal<JournalEntry>;
  readonly store: Pick<UsageStore, 'insertBatch'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Batches run under it: between two of them the store has exactly what the listener was notified of. */
  readonly mutex?: Mutex;
  readonly listener?: DrainListener;
  readonly onCrossed?: (thresholds: readonly CrossedThreshold[]) => void;
};

export function createUsageDrain(parts: UsageDrainParts): UsageDrain {
  const { journal, clock, log, mutex = createMutex() } = parts;
  const sorter = new JournalSorter(parts.listener);
  let cancelTimer: CancelTimer | undefined;
  let running: Promise<void> | undefined;
  /** A flush also stores entries that arrive during the pass; otherwise they are gathered for the next pass. */
  let isFlushing = false;
  let failuresInARow = 0;
  let isClosed = false;
  /** An entry that arrived during a pass may have been written too late for it. */
  let isWokenMeanwhile = false;
  /** The number of entries since the last pass began. */
  let gathered = 0;

  function wake(): void {
    gathered += 1;
    if (running) isWokenMeanwhile = true;
    if (running || isClosed) return;
    if (!cancelTimer) schedule(pauseMs());
    else if (gathered === MAX_BATCH && failuresInARow === 0) {
      cancelTimer();
      // Not within this call: the answers of the present turn are sent first.
      schedule(0);
    }
  }

  function schedule(delayMs: number): void {
    cancelTimer = clock.after(delayMs, () => {
      cancelTimer = undefined;
      void pass().catch(() => wake());
    });
  }

  function pauseMs(): number {
    return Math.min(GATHER_MS * 2 ** Math.min(failuresInARow, 10), MAX_PAUSE_MS);
  }

  function flush(): Promise<void> {
    isFlushing = true;
    return pass();
  }

  function pass(): Promise<void> {
    gathered = 0;
    running ??= storeBatches().finally(() => {
      running = undefined;
      isFlushing = false;
      if (isWokenMeanwhile) wake();
      isWokenMeanwhile = false;
    });
    return running;
  }

  async function storeBatches(): Promise<void> {
    try {
      let count = await mutex(storeBatch);
      while (continuesAfter(count)) count = await mutex(storeBatch);
      if (count === 0) await mutex(endReplay);
      else isWokenMeanwhile = true;
      if (failuresInARow > 0) report('info', 'usage records reach the store again');
      failuresInARow = 0;
    } catch (cause) {
      failuresInARow += 1;
      if (failuresInARow === 1)
        report('error', 'usage records stay in the journal: the store is unavailable', cause);
      throw cause;
    }
  }

  function continuesAfter(count: number): boolean {
    return count === MAX_BATCH || (count > 0 && (isFlushing || sorter.isReplaying));
  }

  /** Returns the number of journal entries that are done; 0 if there is nothing left to store. */
  async function storeBatch(): Promise<number> {
    const entries = journal.oldest(MAX_BATCH);
    if (entries.length === 0) return 0;
    const { records, allotments, ...changes } = sorter.sort(entries);
    const { opened, closed, voided } = changes;
    // Only entries that stay are left.
    if (allotments.length === entries.length) return 0;
    if (records.length + opened.length + closed.length + voided.length > 0) {
      const { crossed } = await parts.store.insertBatch(records, changes);
      sorter.stored(changes);
      parts.listener?.stored(records, opened);
      if (crossed.length > 0) parts.onCrossed?.(crossed);
    }
    await Promise.all(allotments.map(append));
    journal.release(entries.length);
    return entries.length;
  }

  /** Entries leave the journal from its start, so the entry of an open allotment is written again at its end. */
  function append(id: string): Promise<void> {
    return new Promise((resolve) => journal.append({ kind: 'allotment', id }, resolve));
  }

  async function endReplay(): Promise<void> {
    const closed = sorter.formerAllotments;
    if (closed.length > 0) await parts.store.insertBatch([], { closed });
    sorter.endReplay();
  }

  function report(level: 'info' | 'error', message: string, cause?: unknown): void {
    const reason = cause instanceof Error ? { reason: cause.message } : {};
    const metadata = { backlog: journal.backlog(), ...reason };
    log.write({ level, type: 'error', message, metadata });
  }

  return {
    wake,
    flush,
    async close() {
      isClosed = true;
      cancelTimer?.();
      // Entries that cannot be stored now stay in the journal for the next start.
      await flush().catch(() => {});
    },
  };
}
