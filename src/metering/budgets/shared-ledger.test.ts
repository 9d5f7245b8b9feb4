// Requests that the store does not answer. The contract of ledgers covers the rest.

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
const STANDBY = 20;
/** Longer than the ledger waits for an answer. */
const LATE_MS = 5000;

function rig() {
  const clock = createTestClock();
  const entries: JournalEntry[] = [];
  let isSilent = false;
  let answer = async (): Promise<readonly ReservationRefusal[]> => [];
  const ledger = new SharedLedger({
    store: {
      standing: async () => ({ postedNanos: 0, reservedNanos: 0 }),
      spentSince: async () => ({ costNanos: 0, firstAt: undefined }),
      reserveAll: () => answer(),
      settleExpired: async () => [],
      async renewAllotments(_, requests) {
        if (isSilent) await new Promise(() => {});
        return requests.map(({ id }) => ({ id, amountNanos: STANDBY, isShort: false }));
      },
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
    onCrossed() {},
    flush: async () => {},
    clock,
    log: silentLog,
  });
  const ask = (id: string) => reservationRequest(id, { owner: OWNER, worstNanos: STANDBY });

  /** From here on the store answers no statement, until the returned function answers the first one. */
  async function fallSilent(): Promise<(refusals: readonly ReservationRefusal[]) => void> {
    const settled = decided(ledger, ask('known'));
    await clock.advance(1);
    await settled;
    await clock.advance(LATE_MS);
    const { promise, resolve } = Promise.withResolvers<readonly ReservationRefusal[]>();
    answer = () => promise;
    isSilent = true;
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
  return entry.kind === 'release' || entry.kind === 'allotment' ? entry.id : entry.reservation.id;
}

test('an attempt paid from a standby allotment after an unanswered statement ends with a void', async () => {
  const { fallSilent, decide, kindsOf, settle } = rig();
  await fallSilent();
  assert.equal(await decide('doubted'), 'reserved');
  assert.deepEqual(kindsOf('doubted'), ['reservation']);
  settle('doubted');
  assert.deepEqual(kindsOf('doubted'), ['reservation', 'void']);
});

test('an attempt that was never sent ends with a void after an unanswered statement', async () => {
  const { ledger, fallSilent, decide, kindsOf, ask } = rig();
  await fallSilent();
  await decide('doubted');
  ledger.release(ask('doubted').attempt);
  assert.deepEqual(kindsOf('doubted'), ['reservation', 'void']);
});

test('a request refused after an unanswered statement is voided at once', async () => {
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

test('a request withdrawn while its statement is unanswered is voided', async () => {
  const { ledger, clock, ask, fallSilent, kindsOf } = rig();
  await fallSilent();
  const withdraw = ledger.reserve(ask('withdrawn'), () => assert.fail('was withdrawn'));
  await clock.advance(1);
  withdraw();
  await clock.advance(LATE_MS);
  assert.deepEqual(kindsOf('withdrawn'), ['void']);
});

test('an attempt ends without a void after its statement was answered late', async () => {
  const { clock, fallSilent, decide, kindsOf, settle } = rig();
  const answer = await fallSilent();
  await decide('doubted');
  answer([]);
  await clock.advance(1);
  settle('doubted');
  assert.deepEqual(kindsOf('doubted'), ['reservation']);
});

test('a request that no statement asked for is released without a void', async () => {
  const { ledger, fallSilent, decide, kindsOf, settle, ask } = rig();
  await fallSilent();
  await decide('doubted');
  settle('doubted');
  assert.equal(await decide('later'), 'unavailable');
  ledger.release(ask('later').attempt);
  assert.deepEqual(kindsOf('later'), ['release']);
});
