// The budgets of a process that decides alone: the posted and the reserved amount of each, by month. An account is created on
// first use and is loaded once the store's posted amount has been added. Accounts of past months are removed when they have
// no reservation. Callers choose the names of users, so the accounts of users are bounded: idle ones are removed, the oldest
// first, and loaded again when they are used.

import type { UsageRecord } from '../usage/usage-record.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';

export type AccountName = {
  readonly organizationId: string;
  readonly kind: BudgetScopeKind;
  /** The key or the user; '' for the organisation as a whole. */
  readonly scopeId: string;
  readonly month: number;
};

export type BudgetAccount<Request> = AccountName & {
  postedNanos: number;
  reservedNanos: number;
  isLoaded: boolean;
  /** Requests that wait for money of this account, in the order of arrival. */
  waiting: Request[];
};

/** The accounts of one month, of all organisations. */
export const MAX_USER_ACCOUNTS = 20_000;

export class BudgetAccounts<Request> {
  readonly #months = new Map<number, Map<BudgetScopeKind, Map<string, BudgetAccount<Request>>>>();

  /** Finds or creates the account. */
  open(
    organizationId: string,
    kind: BudgetScopeKind,
    scopeId: string,
    month: number,
  ): BudgetAccount<Request> {
    const accounts = this.#kindOf(month, kind);
    const key = keyOf(organizationId, kind, scopeId);
    const known = accounts.get(key);
    if (known) return known;
    if (kind === 'user' && accounts.size >= MAX_USER_ACCOUNTS) dropIdle(accounts);
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

  /** The number of accounts of all months. */
  get size(): number {
    const kinds = [...this.#months.values()].flatMap((each) => [...each.values()]);
    return kinds.reduce((sum, accounts) => sum + accounts.size, 0);
  }

  /** Calls `fn` with each known account that the record counts against. */
  forEachOf(
    record: UsageRecord,
    month: number,
    fn: (account: BudgetAccount<Request>) => void,
  ): void {
    const kinds = this.#months.get(month);
    if (!kinds) return;
    const { organizationId, keyId, userId } = record;
    const organization = kinds.get('organization')?.get(organizationId);
    if (organization) fn(organization);
    // Most installations limit neither keys nor users; then no key is built.
    const keys = kinds.get('key');
    const key = keys && keys.get(keyOf(organizationId, 'key', keyId));
    if (key) fn(key);
    const users = userId === undefined ? undefined : kinds.get('user');
    const user = users && users.get(keyOf(organizationId, 'user', userId ?? ''));
    if (user) fn(user);
  }

  /** Removes the accounts of earlier months that have neither reservations nor waiting requests. */
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

  #kindOf(month: number, kind: BudgetScopeKind): Map<string, BudgetAccount<Request>> {
    let kinds = this.#months.get(month);
    if (!kinds) this.#months.set(month, (kinds = new Map()));
    let accounts = kinds.get(kind);
    if (!accounts) kinds.set(kind, (accounts = new Map()));
    return accounts;
  }
}

/** Removes a tenth at once, so that a stream of new users does not cause a search for each of them. */
function dropIdle(accounts: Map<string, BudgetAccount<unknown>>): void {
  for (const [key, { isLoaded, reservedNanos, waiting }] of accounts) {
    if (accounts.size <= MAX_USER_ACCOUNTS * 0.9) return;
    if (isLoaded && reservedNanos === 0 && waiting.length === 0) accounts.delete(key);
  }
}

function keyOf(organizationId: string, kind: BudgetScopeKind, scopeId: string): string {
  return kind === 'organization' ? organizationId : `${organizationId}\n${scopeId}`;
}
