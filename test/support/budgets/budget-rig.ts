// The budgets of a server as the composition root assembles them: a journal, its drain and a ledger, on the store and clock of
// the test.

import { openFileJournal } from '../../../src/adapters/files/journal.ts';
import { createKeyStore } from '../../../src/adapters/sql/key-store.ts';
import { createBudgetStore } from '../../../src/adapters/sql/metering/budget-store.ts';
import { createOrganizationStore } from '../../../src/adapters/sql/organization-store.ts';
import type { SqlStore } from '../../../src/adapters/sql/sql-dialect.ts';
import { newOrganization } from '../../../src/admission/organization.ts';
import { wakingJournal } from '../../../src/app/open/open-budgets.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { type LogEntry, silentLog } from '../../../src/kernel/log.ts';
import type { BudgetLedger, BudgetOwner } from '../../../src/metering/budgets/budget-ledger.ts';
import {
  type CrossedThreshold,
  thresholdReporter,
} from '../../../src/metering/budgets/budget-threshold.ts';
import { LocalLedger } from '../../../src/metering/budgets/local-ledger.ts';
import type { SharedBudgetStore } from '../../../src/metering/budgets/shared-budget-store.ts';
import { SharedLedger } from '../../../src/metering/budgets/shared-ledger.ts';
import { createUsageDrain } from '../../../src/metering/usage/drain-usage.ts';
import {
  decodeJournalEntry,
  encodeJournalEntry,
  type JournalEntry,
} from '../../../src/metering/usage/journal-entry.ts';
import { createMutex } from '../../../src/metering/usage/mutex.ts';
import type { UsageRecord } from '../../../src/metering/usage/usage-record.ts';
import type { UsageStore } from '../../../src/metering/usage/usage-store.ts';

const RESERVE_MS = 120_000;

export type BudgetServer = {
  readonly ledger: BudgetLedger;
  readonly crossed: readonly CrossedThreshold[];
  readonly entries: readonly LogEntry[];
  /** Journals and settles a usage record, as a gateway does when an attempt has ended. */
  record(record: UsageRecord): Promise<void>;
  /** Stores all entries of the journal. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type BudgetServerParts = {
  readonly folder: string;
  readonly usage: UsageStore;
  readonly clock: Clock;
  readonly serverId?: string;
  /** Absent: the process decides alone. */
  readonly shared?: SharedBudgetStore;
} & SqlStore;

export async function openBudgetServer(parts: BudgetServerParts): Promise<BudgetServer> {
  const { folder, usage, clock, db } = parts;
  const crossed: CrossedThreshold[] = [];
  const entries: LogEntry[] = [];
  const log = { ...silentLog, write: (entry: LogEntry) => void entries.push(entry) };
  const journal = openFileJournal<JournalEntry>({
    folder,
    clock,
    encode: encodeJournalEntry,
    decode: decodeJournalEntry,
    onWritableChange: () => {},
  });
  const mutex = createMutex();
  const onCrossed = thresholdReporter(log, (threshold) => void crossed.push(threshold));
  const common = {
    journal: wakingJournal(journal, () => drain.wake()),
    flush: () => drain.flush(),
    clock,
    log,
    onCrossed,
  };
  const ledger = parts.shared
    ? new SharedLedger({
        ...common,
        store: parts.shared,
        serverId: parts.serverId ?? 'srv_1',
        reserveMs: RESERVE_MS,
      })
    : new LocalLedger({ ...common, store: createBudgetStore(db), mutex });
  const drain = createUsageDrain({
    journal,
    store: usage,
    clock,
    log,
    mutex,
    listener: ledger,
    onCrossed,
  });
  await drain.flush();
  if (ledger instanceof LocalLedger) await ledger.adopt();
  return {
    ledger,
    crossed,
    entries,
    record: (record) =>
      new Promise((resolve) => {
        journal.append({ kind: 'usage', record }, () => {
          ledger.settle(record);
          resolve();
        });
        drain.wake();
      }),
    flush: () => drain.flush(),
    async close() {
      await ledger.close();
      await drain.close();
      await journal.close();
    },
  };
}

/** Creates the organisation and the key of an owner with their limits. */
export async function storeOwner({ db }: Pick<SqlStore, 'db'>, owner: BudgetOwner): Promise<void> {
  const { organizationId, userLimitNanos, keyLimitNanos } = owner;
  const organization = newOrganization(
    {
      id: organizationId,
      timeZone: owner.timeZone,
      monthlyBudgetNanos: owner.organizationLimitNanos,
      ...(userLimitNanos === undefined ? {} : { userMonthlyBudgetNanos: userLimitNanos }),
    },
    1,
  );
  await createOrganizationStore(db).create(organization);
  await createKeyStore(db).create({
    id: owner.keyId,
    organizationId,
    name: '',
    hash: `${organizationId} ${owner.keyId}`,
    prefix: '',
    scopes: [],
    diagnostics: false,
    ...(keyLimitNanos === undefined ? {} : { monthlyBudgetNanos: keyLimitNanos }),
    createdAt: 1,
  });
}
