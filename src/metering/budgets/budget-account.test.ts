import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetAccounts, MAX_USER_ACCOUNTS } from './budget-account.ts';

const MONTH = 202610;

test('idle accounts of users are dropped beyond the bound, and accounts in use stay', () => {
  const accounts = new BudgetAccounts<never>();
  const organization = accounts.open('acme', 'organization', '', MONTH);
  const inUse = accounts.open('acme', 'user', 'in use', MONTH);
  Object.assign(inUse, { isLoaded: true, reservedNanos: 1 });
  for (let number = 0; number < 2 * MAX_USER_ACCOUNTS; number += 1)
    accounts.open('acme', 'user', `user-${number}`, MONTH).isLoaded = true;
  assert.ok(accounts.size <= MAX_USER_ACCOUNTS + 1, String(accounts.size));
  assert.equal(accounts.open('acme', 'user', 'in use', MONTH), inUse);
  assert.equal(accounts.open('acme', 'organization', '', MONTH), organization);
});
