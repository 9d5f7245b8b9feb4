// What is spent and reserved of each budget in a month, in this process. An account is made when it is first asked for
// and counts as loaded once what the store knows of it has been added. Old months go when nothing is reserved in them.

import type { UsageRecord } from '../usage/usage-record.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';

export type AccountName = {
  readonly organizationId: string;
  readonly kind: BudgetScopeKind;
  /** The key or the user; '' for the organisation as a whole. */
  readonly scopeId: string;
  readonly month: number;
};

export type BudgetAccount<Ask> = AccountName & {
  postedNanos: number;
  reservedNanos: number;
  isLoaded: boolean;
  /** Those who wait for room here, in the order of their asking. */
  waiting: Ask[];
};

export class BudgetAccounts<Ask> {
  readonly #months = new Map<number, Map<BudgetScopeKind, Map<string, BudgetAccount<Ask>>>>();

  /** The account, made when there is none. */
  open(
    organizationId: string,
    kind: BudgetScopeKind,
    scopeId: string,
    month: number,
  ): BudgetAccount<Ask> {
    const accounts = this.#kindOf(month, kind);
    const key = keyOf(organizationId, kind, scopeId);
    const known = accounts.get(key);
    if (known) return known;
    const made = {
      organizationId,
      kind,
      scopeId,
      month,
      postedNanos: 0,
      reservedNanos: 0,
      isLoaded: false,
      waiting: [],
    };
    accounts.set(key, made);
    return made;
  }

  /** Calls `fn` with each account that the record counts against and that is in use here. */
  forEachOf(record: UsageRecord, month: number, fn: (account: BudgetAccount<Ask>) => void): void {
    const kinds = this.#months.get(month);
    if (!kinds) return;
    const { organizationId, keyId, userId } = record;
    const organization = kinds.get('organization')?.get(organizationId);
    if (organization) fn(organization);
    // Most installations limit neither keys nor users; then there is nothing to put a name together for.
    const keys = kinds.get('key');
    const key = keys && keys.get(keyOf(organizationId, 'key', keyId));
    if (key) fn(key);
    const users = userId === undefined ? undefined : kinds.get('user');
    const user = users && users.get(keyOf(organizationId, 'user', userId ?? ''));
    if (user) fn(user);
  }

  /** Forgets the accounts of months before this one in which nothing is reserved and nobody waits. */
  forgetBefore(month: number): void {
    for (const [each, kinds] of this.#months) {
      if (each >= month) continue;
      for (const accounts of kinds.values()) {
        for (const [key, account] of accounts)
          if (account.reservedNanos === 0 && account.waiting.length === 0) accounts.delete(key);
      }
      if ([...kinds.values()].every((accounts) => accounts.size === 0)) this.#months.delete(each);
    }
  }

  #kindOf(month: number, kind: BudgetScopeKind): Map<string, BudgetAccount<Ask>> {
    let kinds = this.#months.get(month);
    if (!kinds) this.#months.set(month, (kinds = new Map()));
    let accounts = kinds.get(kind);
    if (!accounts) kinds.set(kind, (accounts = new Map()));
    return accounts;
  }
}

function keyOf(organizationId: string, kind: BudgetScopeKind, scopeId: string): string {
  return kind === 'organization' ? organizationId : `${organizationId}\n${scopeId}`;
}
