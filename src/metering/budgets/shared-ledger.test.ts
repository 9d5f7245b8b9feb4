// What becomes of asks that the store does not answer for. All else a shared ledger does is in the contract of ledgers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  budgetOwner,
  decided,
  reservationRequest,
  usageOf,
} from '../../../test/support/budgets/budget-ask.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { silentLog } from '../../kernel/log.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { ReservationRefusal } from './shared-budget-store.ts';
import { SharedLedger } from './shared-ledger.ts';

const OWNER = budgetOwner({ organizationLimitNanos: 1000 });
const RESERVE = 20;
/** Longer than any answer is waited for. */
const LATE_MS = 5000;

function rig() {
  const clock = createTestClock();
  const entries: JournalEntry[] = [];
  let answer = async (): Promise<readonly ReservationRefusal[]> => [];
  const ledger = new SharedLedger({
    store: {
      standing: async () => ({ postedNanos: 0, reservedNanos: 0 }),
      spentSince: async () => ({ costNanos: 0, firstAt: undefined }),
      reserveAll: () => answer(),
      loseExpired: async () => [],
      renewReserves: async (_, accounts) =>
        accounts.map((account) => ({ ...account, amountNanos: RESERVE })),
      expireReserves: async () => {},
    },
    serverId: 'srv_1',
    reserveMs: 3_600_000,
    journal: {
      isWritable: () => true,
      append(entry, onWritten) {
        entries.push(entry);
        onWritten();
      },
    },
    onEntry() {},
    flush: async () => {},
    clock,
    log: silentLog,
  });
  const ask = (id: string) => reservationRequest(id, { owner: OWNER, worstNanos: RESERVE });

  /** From here on the store is asked and says nothing, until the one who was first is answered. */
  async function fallSilent(): Promise<(refusals: readonly ReservationRefusal[]) => void> {
    const settled = decided(ledger, ask('known'));
    await clock.advance(1);
    await settled;
    await clock.advance(LATE_MS);
    const { promise, resolve } = Promise.withResolvers<readonly ReservationRefusal[]>();
    answer = () => promise;
    return resolve;
  }
  async function decide(id: string) {
    const decision = decided(ledger, ask(id));
    await clock.advance(LATE_MS);
    return (await decision).kind;
  }
  const kindsOf = (id: string) =>
    entries.flatMap((entry) => (idOf(entry) === id ? [entry.kind] : []));
  const settle = (id: string) => ledger.settle(usageOf(ask(id), 1, 202_601));
  return { clock, ledger, ask, fallSilent, decide, kindsOf, settle };
}

function idOf(entry: JournalEntry): string {
  if (entry.kind === 'usage') return entry.record.id;
  return entry.kind === 'release' || entry.kind === 'lease' ? entry.id : entry.reservation.id;
}

test('paid from the reserve after a silence: its end is void for a statement that comes late', async () => {
  const { fallSilent, decide, kindsOf, settle } = rig();
  await fallSilent();
  assert.equal(await decide('doubted'), 'reserved');
  assert.deepEqual(kindsOf('doubted'), ['reservation']);
  settle('doubted');
  assert.deepEqual(kindsOf('doubted'), ['reservation', 'void']);
});

test('never made after a silence: the same', async () => {
  const { ledger, fallSilent, decide, kindsOf, ask } = rig();
  await fallSilent();
  await decide('doubted');
  ledger.release(ask('doubted').attempt);
  assert.deepEqual(kindsOf('doubted'), ['reservation', 'void']);
});

test('refused after a silence: the same, at once', async () => {
  const { ledger, clock, ask, fallSilent, kindsOf } = rig();
  await fallSilent();
  const both = ['first', 'second'].map((id) => decided(ledger, ask(id)));
  await clock.advance(LATE_MS);
  assert.deepEqual(
    (await Promise.all(both)).map(({ kind }) => kind),
    ['reserved', 'unavailable'],
  );
  assert.deepEqual(kindsOf('second'), ['void']);
});

test('withdrawn during a silence: the same', async () => {
  const { ledger, clock, ask, fallSilent, kindsOf } = rig();
  await fallSilent();
  const withdraw = ledger.reserve(ask('withdrawn'), () => assert.fail('was withdrawn'));
  await clock.advance(1);
  withdraw();
  await clock.advance(LATE_MS);
  assert.deepEqual(kindsOf('withdrawn'), ['void']);
});

test('an answer that comes late ends the doubt', async () => {
  const { clock, fallSilent, decide, kindsOf, settle } = rig();
  const answer = await fallSilent();
  await decide('doubted');
  answer([]);
  await clock.advance(1);
  settle('doubted');
  assert.deepEqual(kindsOf('doubted'), ['reservation']);
});

test('who was not asked for during the silence is in no doubt', async () => {
  const { ledger, fallSilent, decide, kindsOf, settle, ask } = rig();
  await fallSilent();
  await decide('doubted');
  settle('doubted');
  assert.equal(await decide('later'), 'unavailable');
  ledger.release(ask('later').attempt);
  assert.deepEqual(kindsOf('later'), ['release']);
});
