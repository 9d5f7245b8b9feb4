import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_USAGE } from '../../../kernel/usage.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import { postingsOf } from './budget-posting.ts';
import { HOUR_MS, rollUp } from './usage-rollup.ts';

/** Few values of each field, so that neighbours differ in one field, in all, or in none. */
const records = fc.array(
  fc.record({
    organizationId: fc.constantFrom('one', 'two'),
    keyId: fc.constantFrom('a', 'b'),
    userId: fc.constantFrom(undefined, 'ada'),
    provider: fc.constantFrom('anthropic', 'openai'),
    model: fc.constantFrom('small', 'large'),
    category: fc.constantFrom(undefined, 'chat'),
    status: fc.constantFrom('OK', 'INTERNAL'),
    createdAt: fc.constantFrom(0, 1, HOUR_MS),
    inputTokens: fc.nat(100),
    costNanos: fc.nat(1000),
  }),
  { maxLength: 12 },
);

function recordOf(fields: Partial<UsageRecord>, index: number): UsageRecord {
  const id = `req_${index}`;
  const constants = { requestId: id, attempt: 1, latencyMs: 1, streamed: false, estimated: false };
  return { ...NO_USAGE, id, ...constants, ...fields } as UsageRecord;
}

test('the rows of a batch sum its records by hour and combination, in whichever order they come', () => {
  fc.assert(
    fc.property(records, (drawn) => {
      const batch = drawn.map(recordOf);
      const rows = rollUp(batch);
      assert.deepEqual(rows, rollUp(batch.toReversed()));
      for (const row of rows) {
        const own = batch.filter(
          (record) =>
            record.organizationId === row.organization_id &&
            record.keyId === row.key_id &&
            (record.userId ?? '') === row.user_id &&
            record.provider === row.provider &&
            record.model === row.model &&
            (record.category ?? '') === row.category &&
            Math.floor(record.createdAt / HOUR_MS) * HOUR_MS === row.hour_start,
        );
        assert.equal(row.attempts, own.length);
        assert.equal(row.failures, own.filter(({ status }) => status !== 'OK').length);
        assert.equal(row.input_tokens, sum(own.map(({ inputTokens }) => inputTokens)));
        assert.equal(row.cost_nanos, sum(own.map(({ costNanos }) => costNanos)));
      }
      assert.equal(sum(rows.map(({ attempts }) => attempts)), batch.length);
    }),
  );
});

test('a batch posts each cost to its organisation, its key and its user', () => {
  fc.assert(
    fc.property(records, (drawn) => {
      const spendings = drawn.map((fields, index) => ({
        record: recordOf(fields, index),
        month: fields.createdAt === 0 ? 202611 : 202612,
        nanos: fields.costNanos,
      }));
      const postings = postingsOf(spendings);
      assert.deepEqual(postings, postingsOf(spendings.toReversed()));
      for (const { organizationId, month, kind, scopeId, nanos } of postings) {
        const own = spendings.filter(
          ({ record, month: spentIn }) =>
            spentIn === month &&
            record.organizationId === organizationId &&
            (kind === 'organization' || record[`${kind}Id`] === scopeId),
        );
        assert.ok(own.length > 0);
        assert.equal(nanos, sum(own.map((spending) => spending.nanos)));
      }
      const ofOrganizations = postings.filter(({ kind }) => kind === 'organization');
      assert.equal(
        sum(ofOrganizations.map(({ nanos }) => nanos)),
        sum(spendings.map(({ nanos }) => nanos)),
      );
    }),
  );
});

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
