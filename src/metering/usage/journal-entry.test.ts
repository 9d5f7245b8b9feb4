import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { newReservation } from '../budgets/budget-reservation.ts';
import { decodeJournalEntry, encodeJournalEntry, type JournalEntry } from './journal-entry.ts';

const text = fc.string({ unit: 'binary' });
const label = fc.option(text, { nil: undefined });
const count = fc.nat();

const reservation: fc.Arbitrary<JournalEntry> = fc
  .record({ id: text, userId: label, category: label, model: text, streamed: fc.boolean() })
  .chain((given) =>
    fc.tuple(count, fc.boolean(), fc.boolean()).map(([amount, reservesKey, reservesUser]) => {
      const ask = reservationRequest(given.id, { worstNanos: amount });
      const attempt = { ...ask.attempt, ...given };
      return {
        kind: 'reservation' as const,
        reservation: { ...newReservation({ ...ask, attempt }, 202601), reservesKey, reservesUser },
      };
    }),
  );

const voided = reservation.map(
  (given): JournalEntry => (given.kind === 'reservation' ? { ...given, kind: 'void' } : given),
);

const usage: fc.Arbitrary<JournalEntry> = fc
  .tuple(text, label, count, fc.option(count, { nil: undefined }))
  .map(([id, userId, costNanos, budgetMonth]) => ({
    kind: 'usage',
    record: usageRecord(id, {
      userId,
      costNanos,
      ...(budgetMonth === undefined ? {} : { budgetMonth }),
    }),
  }));

const entry = fc.oneof(
  reservation,
  voided,
  usage,
  text.map((id): JournalEntry => ({ kind: 'release', id })),
  text.map((id): JournalEntry => ({ kind: 'allotment', id })),
);

test('an entry decodes from its line unchanged', () => {
  const property = fc.property(entry, (given) => {
    const line = encodeJournalEntry(given);
    assert.ok(!line.includes('\n'));
    assert.deepEqual(decodeJournalEntry(line), given);
  });
  fc.assert(property);
});

test('a torn line decodes to nothing', () => {
  const property = fc.property(entry, fc.nat(), (given, cut) => {
    const line = encodeJournalEntry(given);
    assert.equal(decodeJournalEntry(line.slice(0, cut % line.length)), undefined);
  });
  fc.assert(property);
});

test('a line that is not an entry decodes to nothing', () => {
  const lines = [
    '["reservation"]',
    '["release"]',
    '["release",1]',
    '["other","x"]',
    '[2]',
    '{}',
    'null',
  ];
  for (const line of lines) assert.equal(decodeJournalEntry(line), undefined, line);
});
