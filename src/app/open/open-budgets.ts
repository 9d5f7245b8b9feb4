// Budgets and the journal that they share with usage: a reservation is journalled before its attempt is sent, usage before the
// caller gets its answer. With embedded storage this process decides alone, and the reservations of its predecessor are
// settled when they expire. With PostgreSQL, servers share the budgets.

import { join } from 'node:path';
import { openFileJournal } from '../../adapters/files/journal.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { SharedBudgetParts } from '../../metering/budgets/allotment-renewal.ts';
import type { BudgetLedger } from '../../metering/budgets/budget-ledger.ts';
import {
  type CrossedThreshold,
  thresholdReporter,
} from '../../metering/budgets/budget-threshold.ts';
import { LocalLedger, type LocalLedgerParts } from '../../metering/budgets/local-ledger.ts';
import { SharedLedger } from '../../metering/budgets/shared-ledger.ts';
import type { MeterParts } from '../../metering/prices/meter.ts';
import { createUsageDrain } from '../../metering/usage/drain-usage.ts';
import { startForgettingUsage } from '../../metering/usage/forget-usage.ts';
import type { Journal } from '../../metering/usage/journal.ts';
import {
  decodeJournalEntry,
  encodeJournalEntry,
  type JournalEntry,
} from '../../metering/usage/journal-entry.ts';
import { createMutex } from '../../metering/usage/mutex.ts';
import type { Store } from '../store-ports.ts';

export type BudgetContext = {
  readonly serverId: string;
  readonly store: Pick<Store, 'usage' | 'budgets' | 'sharedBudgets'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  /** Called once per threshold and month, on the server that crossed it. */
  readonly onThreshold?: (crossed: CrossedThreshold) => void;
};

export type Budgets = {
  readonly ledger: BudgetLedger;
  /** The meter writes usage records here. */
  readonly journal: MeterParts['journal'];
  /** The journal has a new entry: it is stored soon. */
  wake(): void;
};

export async function openBudgets(config: Config, context: BudgetContext): Promise<Budgets> {
  const { store, clock, log, lifecycle } = context;
  const journal = openJournal(config, context);
  const mutex = createMutex();
  const wake = (): void => drain.wake();
  const flush = (): Promise<void> => drain.flush();
  const onCrossed = thresholdReporter(log, context.onThreshold);
  const paths = { journal: wakingJournal(journal, wake), flush, mutex, onCrossed };
  const ledger = createLedger(paths, context, config.budgets.reserveMs);
  const drain = createUsageDrain({
    journal,
    store: store.usage,
    clock,
    log,
    mutex,
    listener: ledger,
    onCrossed,
  });
  const keptMs = config.retention.usageMs;
  const forgetting = startForgettingUsage({ usage: store.usage, keptMs, clock, log });
  lifecycle.onClose('forgetting usage', () => forgetting.close());
  lifecycle.onClose('usage drain', () => drain.close());
  lifecycle.onClose('budgets', () => ledger.close());
  if (ledger instanceof LocalLedger) {
    // All reservations of the previous process are in the store only once its journal is drained.
    await drain.flush();
    await ledger.adopt();
  }
  drain.wake();
  return {
    ledger,
    journal: {
      append: (record, onWritten) => journal.append({ kind: 'usage', record }, onWritten),
      isWritable: () => journal.isWritable(),
    },
    wake,
  };
}

/** Wakes the drain when an entry is written, and not before. */
export function wakingJournal(
  journal: Journal<JournalEntry>,
  wake: () => void,
): Pick<Journal<JournalEntry>, 'append' | 'isWritable'> {
  return {
    isWritable: () => journal.isWritable(),
    append: (entry, onWritten) =>
      journal.append(entry, () => {
        wake();
        onWritten();
      }),
  };
}

type LedgerPaths = Pick<LocalLedgerParts, 'journal' | 'mutex'> &
  Pick<SharedBudgetParts, 'flush' | 'onCrossed'>;

function createLedger(
  paths: LedgerPaths,
  context: BudgetContext,
  reserveMs: number,
): LocalLedger | SharedLedger {
  const { store, serverId, clock, log } = context;
  const parts = { ...paths, clock, log };
  const { budgets, sharedBudgets } = store;
  if (!sharedBudgets) return new LocalLedger({ ...parts, store: budgets });
  return new SharedLedger({ ...parts, store: sharedBudgets, serverId, reserveMs });
}

function openJournal(
  config: Config,
  { clock, log, lifecycle }: BudgetContext,
): Journal<JournalEntry> {
  const journal = openFileJournal<JournalEntry>({
    folder: join(config.storage.dataDir, 'journal'),
    clock,
    encode: encodeJournalEntry,
    decode: decodeJournalEntry,
    segmentBytes: config.journal.segmentBytes,
    onWritableChange: (isWritable) => logWritable(log, isWritable),
  });
  lifecycle.onClose('journal', () => journal.close());
  return journal;
}

function logWritable(log: Log, isWritable: boolean): void {
  log.write(
    isWritable
      ? { level: 'info', type: 'error', message: 'usage journal writable again' }
      : {
          level: 'critical',
          type: 'error',
          message: 'usage journal not writable: calls are refused',
        },
  );
}
