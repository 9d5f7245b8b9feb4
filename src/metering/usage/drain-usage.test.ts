import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import { openFileJournal } from '../../adapters/files/journal.ts';
import type { LogEntry } from '../../kernel/log.ts';
import { newReservation } from '../budgets/budget-reservation.ts';
import { createUsageDrain, type UsageDrain } from './drain-usage.ts';
import type { Journal } from './journal.ts';
import { decodeJournalEntry, encodeJournalEntry, type JournalEntry } from './journal-entry.ts';
import type { UsageRecord } from './usage-record.ts';
import type { InsertedUsage, ReservationChanges } from './usage-store.ts';

type Rig = {
  readonly journal: Journal<JournalEntry>;
  readonly drain: UsageDrain;
  readonly clock: TestClock;
  readonly store: FakeStore;
  readonly entries: LogEntry[];
  readonly record: (id: string) => Promise<void>;
};

/** Keeps each id once, as stores do; can be unavailable, and can pause in the middle of an insert. */
class FakeStore {
  readonly ids = new Set<string>();
  readonly batches: number[] = [];
  isUnavailable = false;
  /** Stores the batch and loses the answer. */
  losesAnswer = false;
  reserved: Promise<void> | undefined;

  readonly closed = new Set<string>();
  readonly opened = new Set<string>();
  readonly voided = new Set<string>();

  async insertBatch(
    records: readonly UsageRecord[],
    changes?: Partial<ReservationChanges>,
  ): Promise<InsertedUsage> {
    this.batches.push(records.length);
    await this.reserved;
    if (this.isUnavailable) throw new Error('store unavailable');
    for (const record of records) this.ids.add(record.id);
    for (const id of changes?.closed ?? []) this.closed.add(id);
    for (const { id } of changes?.opened ?? []) this.opened.add(id);
    for (const { id } of changes?.voided ?? []) this.voided.add(id);
    if (this.losesAnswer) throw new Error('the connection was lost');
    return { stored: records.length, crossed: [] };
  }
}

function rig(folder: string, open: ReadonlySet<string> = new Set()): Rig {
  const clock = createTestClock();
  const store = new FakeStore();
  const entries: LogEntry[] = [];
  const journal = openFileJournal<JournalEntry>({
    folder,
    clock,
    encode: encodeJournalEntry,
    decode: decodeJournalEntry,
    onWritableChange: () => {},
  });
  const log = { write: (entry: LogEntry) => void entries.push(entry), flush: async () => {} };
  const listener = {
    isOpen: (id: string) => open.has(id),
    hasAllotment: (id: string) => open.has(id),
    reservationsAreRows: true,
    stored() {},
    crossed() {},
  };
  const drain = createUsageDrain({ journal, store, clock, log, listener });
  function record(id: string): Promise<void> {
    const written = new Promise<void>((resolve) =>
      journal.append({ kind: 'usage', record: usageRecord(id) }, resolve),
    );
    drain.wake();
    return written;
  }
  return { journal, drain, clock, store, entries, record };
}

test('records are stored together, shortly after they were written', async (context) => {
  const { clock, store, journal, record } = rig(tempFolder(context));
  await Promise.all([record('a'), record('b'), record('c')]);
  assert.deepEqual(store.batches, []);
  await clock.advance(1000);
  assert.deepEqual(store.batches, [3]);
  assert.deepEqual([...store.ids], ['a', 'b', 'c']);
  assert.equal(journal.backlog(), 0);
  assert.equal(clock.pendingTimers(), 0);
});

test('a long backlog is stored completely, in batches', async (context) => {
  const { store, drain, record } = rig(tempFolder(context));
  await Promise.all(Array.from({ length: 1203 }, (_, index) => record(String(index))));
  await drain.flush();
  assert.deepEqual(store.batches, [1000, 203]);
  assert.equal(store.ids.size, 1203);
});

test('the drain retries an unavailable store after growing pauses and logs its start and its end once', async (context) => {
  const { clock, store, journal, entries, record } = rig(tempFolder(context));
  store.isUnavailable = true;
  await record('a');
  await clock.advance(60_000);
  const asked = store.batches.length;
  assert.ok(asked >= 5 && asked <= 25, `asked ${asked} times`);
  assert.equal(journal.backlog(), 1);
  store.isUnavailable = false;
  await clock.advance(5000);
  assert.deepEqual([...store.ids], ['a']);
  assert.deepEqual(
    entries.map((entry) => entry.level),
    ['error', 'info'],
  );
  assert.equal(clock.pendingTimers(), 0);
});

test('a batch with a lost answer is stored again and counted once', async (context) => {
  const { clock, store, journal, record } = rig(tempFolder(context));
  store.losesAnswer = true;
  await record('a');
  await clock.advance(1000);
  assert.equal(journal.backlog(), 1);
  store.losesAnswer = false;
  await clock.advance(5000);
  assert.equal(journal.backlog(), 0);
  assert.deepEqual([...store.ids], ['a']);
});

test('a record written while another is stored does not wait for a third', async (context) => {
  const { clock, store, record } = rig(tempFolder(context));
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  store.reserved = promise;
  await record('a');
  await clock.advance(1000);
  assert.deepEqual(store.batches, [1]);
  // It is appended, but not yet written, when the store answers: the running pass does not see it.
  const written = record('b');
  letGo();
  await written;
  await clock.advance(5000);
  assert.deepEqual([...store.ids], ['a', 'b']);
});

test('records written while a batch is stored wait for the next pass, or are stored by a flush', async (context) => {
  const { clock, store, drain, record } = rig(tempFolder(context));
  await drain.flush();
  for (const waits of [false, true]) {
    store.batches.length = 0;
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    store.reserved = promise;
    await record(`first ${waits}`);
    await clock.advance(100);
    const flushed = waits ? drain.flush() : undefined;
    await Promise.all([record(`second ${waits}`), record(`third ${waits}`)]);
    letGo();
    await flushed;
    await clock.advance(0);
    assert.deepEqual(store.batches, waits ? [1, 2] : [1]);
    await clock.advance(100);
    assert.deepEqual(store.batches, [1, 2]);
    await clock.advance(1000);
    assert.equal(clock.pendingTimers(), 0);
  }
});

test('two concurrent flushes store once', async (context) => {
  const { store, drain, record } = rig(tempFolder(context));
  await record('a');
  await Promise.all([drain.flush(), drain.flush()]);
  assert.deepEqual(store.batches, [1]);
});

test('a flush rejects if the store is unavailable, and the record stays in the journal', async (context) => {
  const { store, drain, journal, record } = rig(tempFolder(context));
  store.isUnavailable = true;
  await record('a');
  await assert.rejects(drain.flush(), /unavailable/);
  assert.equal(journal.backlog(), 1);
});

test('close stores the backlog and leaves no timer', async (context) => {
  const { clock, store, drain, record } = rig(tempFolder(context));
  await record('a');
  await drain.close();
  await drain.close();
  assert.deepEqual([...store.ids], ['a']);
  drain.wake();
  assert.equal(clock.pendingTimers(), 0);
});

test('close keeps the records for the next start if the store is unavailable', async (context) => {
  const folder = tempFolder(context);
  const first = rig(folder);
  first.store.isUnavailable = true;
  await first.record('a');
  await first.drain.close();
  await first.journal.close();
  assert.equal(first.clock.pendingTimers(), 0);
  const second = rig(folder);
  await second.drain.flush();
  assert.deepEqual([...second.store.ids], ['a']);
});

test('the entry of an open allotment stays in the journal when other entries leave', async (context) => {
  const folder = tempFolder(context);
  const open = new Set(['allotment']);
  const { journal, drain, store, record } = rig(folder, open);
  const lent = new Promise<void>((resolve) => {
    journal.append({ kind: 'allotment', id: 'allotment' }, resolve);
  });
  await Promise.all([lent, record('a')]);
  for (const id of ['b', 'c', 'd']) {
    await drain.flush();
    await record(id);
  }
  await drain.flush();
  assert.deepEqual([...store.ids], ['a', 'b', 'c', 'd']);
  assert.deepEqual(journal.oldest(10), [{ kind: 'allotment', id: 'allotment' }]);
  assert.equal(store.closed.has('allotment'), false);
});

test('an allotment of the previous process is released after the attempts that it paid are stored', async (context) => {
  const folder = tempFolder(context);
  const { journal, record } = rig(folder);
  journal.append({ kind: 'allotment', id: 'former' }, () => {});
  await record('a');
  await journal.close();
  const again = rig(folder);
  again.store.isUnavailable = true;
  await assert.rejects(again.drain.flush());
  again.store.isUnavailable = false;
  await again.drain.flush();
  assert.deepEqual([[...again.store.ids], again.store.closed.has('former')], [['a'], true]);
  assert.equal(again.journal.backlog(), 0);
});

test('the entry of a released allotment leaves the journal', async (context) => {
  const open = new Set(['allotment']);
  const { journal, drain, store } = rig(tempFolder(context), open);
  journal.append({ kind: 'allotment', id: 'allotment' }, () => {});
  await drain.flush();
  open.delete('allotment');
  await new Promise<void>((resolve) => {
    journal.append({ kind: 'release', id: 'allotment' }, resolve);
  });
  await drain.flush();
  assert.deepEqual([[...store.closed], journal.backlog()], [['allotment'], 0]);
});

test('a void is passed to the store, also of the previous process, and its reservation is not stored', async (context) => {
  const folder = tempFolder(context);
  const { journal } = rig(folder);
  const reservation = newReservation(reservationRequest('doubted'), 202_601);
  journal.append({ kind: 'reservation', reservation }, () => {});
  journal.append({ kind: 'void', reservation }, () => {});
  await journal.close();
  const { drain, store, journal: again } = rig(folder);
  await drain.flush();
  assert.deepEqual([[...store.voided], [...store.opened]], [['doubted'], []]);
  assert.equal(again.backlog(), 0);
});
