// Carries what the local journal reservations to the store, in batches, for as long as it takes: while the store is away the
// journal keeps it. Usage records are stored; a reservation is stored only when its attempt has not ended by now, and goes
// with the record that ends it. States: idle → waiting (an entry came) → storing → waiting (more came meanwhile) → idle.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetReservation } from '../budgets/budget-reservation.ts';
import type { CrossedThreshold } from '../budgets/budget-threshold.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { createLane, type Lane } from './lane.ts';
import { LOST, type UsageRecord } from './usage-record.ts';
import type { ReservationChanges, UsageStore } from './usage-store.ts';

const BATCH_ENTRIES = 1000;
/** Short, because what waits here has to be carried along by every collection of young memory. */
const GATHER_MS = 100;
const MAX_PAUSE_MS = 5000;

export type UsageDrain = {
  /** Says that the journal has something new; cheap enough to be called for every record. */
  wake(): void;
  /** Stores all there is, once; rejects when the store is away. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Whoever keeps sums of what the store has. */
export type DrainListener = {
  /**
   * False for an attempt that has ended: its record follows, and its reservation need not be stored. True for a allotment that this
   * process has in hand.
   */
  isOpen(attemptId: string): boolean;
  /** Whether reservations are stored by themselves, so that the end of one has to be told in any case. */
  readonly reservationsAreRows: boolean;
  /** The store has these records, and these reservations of attempts that last. */
  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void;
};

export type UsageDrainParts = {
  readonly journal: Journal<JournalEntry>;
  readonly store: Pick<UsageStore, 'insertBatch'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two batches in it, the store has exactly what the listener was told. */
  readonly lane?: Lane;
  readonly listener?: DrainListener;
  readonly onCrossed?: (thresholds: readonly CrossedThreshold[]) => void;
};

export function createUsageDrain(parts: UsageDrainParts): UsageDrain {
  const { journal, clock, log, lane = createLane() } = parts;
  const sorter = createSorter(parts.listener);
  let cancelTimer: CancelTimer | undefined;
  let running: Promise<void> | undefined;
  /** Somebody waits until all is stored; otherwise what comes during a pass is gathered for the next one. */
  let isFlushing = false;
  let failuresInARow = 0;
  let isClosed = false;
  /** A record that comes during a pass may be written too late for it. */
  let isWokenMeanwhile = false;

  function wake(): void {
    if (running) isWokenMeanwhile = true;
    if (cancelTimer || running || isClosed) return;
    cancelTimer = clock.after(pauseMs(), () => {
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
      let stored = await lane(storeBatch);
      while (goesOnAfter(stored)) stored = await lane(storeBatch);
      if (stored === 0) await lane(settleReplay);
      else isWokenMeanwhile = true;
      if (failuresInARow > 0) tell('info', 'usage records reach the store again');
      failuresInARow = 0;
    } catch (cause) {
      failuresInARow += 1;
      if (failuresInARow === 1)
        tell('error', 'usage records wait in the journal: the store is away', cause);
      throw cause;
    }
  }

  function goesOnAfter(stored: number): boolean {
    return stored === BATCH_ENTRIES || (stored > 0 && (isFlushing || sorter.isReplaying()));
  }

  /** How many entries of the journal were dealt with; none when there is nothing left to store. */
  async function storeBatch(): Promise<number> {
    const entries = journal.oldest(BATCH_ENTRIES);
    if (entries.length === 0) return 0;
    const { records, allotments, ...changes } = sorter.sort(entries);
    const { opened, closed, voided } = changes;
    // They are all there is, and stay.
    if (allotments.length === entries.length) return 0;
    if (records.length + opened.length + closed.length + voided.length > 0) {
      const { crossed } = await parts.store.insertBatch(records, changes);
      sorter.stored(changes);
      parts.listener?.stored(records, opened);
      if (crossed.length > 0) parts.onCrossed?.(crossed);
    }
    await Promise.all(allotments.map(keep));
    journal.release(entries.length);
    return entries.length;
  }

  /** Writes a allotment that is in hand down again behind what is left, because all before that leaves the journal. */
  function keep(id: string): Promise<void> {
    return new Promise((resolve) => journal.append({ kind: 'allotment', id }, resolve));
  }

  /** All that was paid from a former life's allotments is stored by now. */
  async function settleReplay(): Promise<void> {
    const closed = sorter.formerAllotments();
    if (closed.length > 0) await parts.store.insertBatch([], { closed });
    sorter.caughtUp();
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

type Sorted = ReservationChanges & {
  readonly records: readonly UsageRecord[];
  /** Those that this process has in hand. */
  readonly allotments: readonly string[];
};

/** Knows which reservations the store has, so that it is not asked to remove what it never got. */
function createSorter(listener: DrainListener | undefined) {
  const storedReservations = new Set<string>();
  const formerAllotments = new Set<string>();
  /** What a former life has stored is not known; until the journal has been emptied once, all is removed. */
  let isReplaying = true;

  function sort(entries: readonly JournalEntry[]): Sorted {
    const records: UsageRecord[] = [];
    const opened: BudgetReservation[] = [];
    const closed: string[] = [];
    const voided: BudgetReservation[] = [];
    const allotments: string[] = [];
    const ended = isReplaying || !listener ? endedIn(entries) : NOBODY;
    for (const entry of entries) {
      if (entry.kind === 'allotment') {
        if (listener?.isOpen(entry.id)) allotments.push(entry.id);
        else if (isReplaying) formerAllotments.add(entry.id);
        continue;
      }
      if (entry.kind === 'reservation') {
        if (isOpen(entry.reservation.id, ended)) opened.push(entry.reservation);
        continue;
      }
      if (entry.kind === 'void') {
        voided.push(entry.reservation);
        continue;
      }
      if (entry.kind === 'usage') records.push(entry.record);
      if (mayBeStored(entry)) closed.push(idOf(entry));
    }
    return { records, opened, closed, voided, allotments };
  }

  /** Of a former life's attempts nobody knows but the journal itself. */
  function isOpen(id: string, ended: ReadonlySet<string>): boolean {
    return isReplaying || !listener ? !ended.has(id) : listener.isOpen(id);
  }

  function mayBeStored(entry: EndEntry): boolean {
    if (isReplaying) return true;
    if (storedReservations.size > 0 && storedReservations.has(idOf(entry))) return true;
    if (entry.kind === 'release') return listener?.reservationsAreRows === true;
    return entry.record.status === LOST;
  }

  return {
    sort,
    stored({ opened, closed, voided }: ReservationChanges) {
      for (const { id } of opened) storedReservations.add(id);
      for (const id of closed) storedReservations.delete(id);
      for (const { id } of voided) storedReservations.delete(id);
    },
    isReplaying: () => isReplaying,
    /** Those that a process which died had in hand; what was released since is released again, and that is nothing. */
    formerAllotments: () => [...formerAllotments],
    caughtUp() {
      isReplaying = false;
      formerAllotments.clear();
    },
  };
}

type EndEntry = Extract<JournalEntry, { readonly kind: 'usage' | 'release' }>;

const NOBODY: ReadonlySet<string> = new Set();

function endedIn(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'usage' || entry.kind === 'release') ended.add(idOf(entry));
    if (entry.kind === 'void') ended.add(entry.reservation.id);
  }
  return ended;
}

function idOf(entry: EndEntry): string {
  return entry.kind === 'usage' ? entry.record.id : entry.id;
}
