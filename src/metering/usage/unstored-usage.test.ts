import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import type { AccountName } from '../budgets/budget-account.ts';
import { UnstoredUsage } from './unstored-usage.ts';
import { LOST, type UsageRecord } from './usage-record.ts';

const ACCOUNT: AccountName = {
  organizationId: 'acme',
  kind: 'organization',
  scopeId: '',
  month: 202611,
};

function record(id: string, fields: Partial<UsageRecord> = {}): UsageRecord {
  return usageRecord(id, { organizationId: 'acme', ...fields });
}

function filled(...records: readonly UsageRecord[]): UnstoredUsage {
  const unstored = new UnstoredUsage();
  for (const each of records) unstored.add(each, ACCOUNT.month, 10);
  return unstored;
}

test('a stored record is no longer in the sum', () => {
  const unstored = filled(record('a'), record('b'), record('c'));
  assert.equal(unstored.sumOf(ACCOUNT), 30);
  unstored.stored([record('a'), record('b')]);
  assert.equal(unstored.sumOf(ACCOUNT), 10);
  unstored.stored([record('c')]);
  assert.equal(unstored.sumOf(ACCOUNT), 0);
});

test('records of the previous process and records out of order remove no others', () => {
  const unstored = filled(record('a'), record('b'), record('c'));
  unstored.stored([record('x'), record('b'), record('a')]);
  assert.equal(unstored.sumOf(ACCOUNT), 10);
});

test('an estimate and the record that replaces it are separate entries', () => {
  const unstored = filled(record('a', { status: LOST }), record('a'));
  unstored.stored([record('a', { status: LOST })]);
  assert.equal(unstored.sumOf(ACCOUNT), 10);
});

test('the sum has only the records of the account', () => {
  const unstored = filled(
    record('a', { keyId: 'k1', userId: 'u1' }),
    record('b', { keyId: 'k2' }),
    record('c', { organizationId: 'other', keyId: 'k1' }),
  );
  assert.equal(unstored.sumOf({ ...ACCOUNT, kind: 'key', scopeId: 'k1' }), 10);
  assert.equal(unstored.sumOf({ ...ACCOUNT, kind: 'user', scopeId: 'u1' }), 10);
  assert.equal(unstored.sumOf({ ...ACCOUNT, month: 202612 }), 0);
});

test('shortening a long queue keeps its end', () => {
  const all = Array.from({ length: 10_000 }, (_, at) => record(`r${at}`));
  const unstored = filled(...all);
  for (let at = 0; at < 9990; at += 10) unstored.stored(all.slice(at, at + 10));
  assert.equal(unstored.sumOf(ACCOUNT), 100);
});
