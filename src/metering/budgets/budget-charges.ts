// The budgets that an attempt counts against, and their limits. The part that all attempts of an owner share is computed once
// a month and then found by one lookup.

import {
  type CalendarMonth,
  createMonthCache,
  isWithin,
} from '../../kernel/calendar/calendar-month.ts';
import type { AccountName, BudgetAccounts } from './budget-account.ts';
import type { BookRequest, Charge } from './budget-book.ts';
import type { BudgetOwner, BudgetScopeKind } from './budget-ledger.ts';
import { accountsOf, type BudgetReservation } from './budget-reservation.ts';

export type Budget = { readonly account: AccountName; readonly limitNanos: number };

export type OwnersCharges = {
  readonly month: CalendarMonth;
  /** The organisation's and the key's; the caller adds the user's. */
  readonly charges: readonly Charge[];
};

export class BudgetCharges {
  readonly #accounts: BudgetAccounts<BookRequest>;
  readonly #monthAt = createMonthCache();
  readonly #ofOwners = new WeakMap<BudgetOwner, OwnersCharges>();

  constructor(accounts: BudgetAccounts<BookRequest>) {
    this.#accounts = accounts;
  }

  ofOwner(owner: BudgetOwner, at: number): OwnersCharges {
    const known = this.#ofOwners.get(owner);
    if (known && isWithin(known.month, at)) return known;
    const month = this.#monthAt(at, owner.timeZone);
    const kinds: readonly BudgetScopeKind[] = ['organization', 'key'];
    const charges = kinds.flatMap((kind) => this.of(owner, kind, month.number) ?? []);
    const made = { month, charges };
    this.#ofOwners.set(owner, made);
    // The first request of a month removes the accounts of the month before the last.
    this.#accounts.forgetBefore(previous(previous(month.number)));
    return made;
  }

  /** Undefined if the owner has no budget of the kind. */
  of(
    owner: BudgetOwner,
    kind: BudgetScopeKind,
    month: number,
    userId?: string,
  ): Charge | undefined {
    const budget = budgetOf(owner, kind, month, userId);
    if (!budget) return undefined;
    const { organizationId, scopeId } = budget.account;
    const account = this.#accounts.open(organizationId, kind, scopeId, month);
    return { account, limitNanos: budget.limitNanos };
  }

  /** For a stored reservation: it counts already, so no limit applies. */
  ofReservation(reservation: BudgetReservation): readonly Charge[] {
    return accountsOf(reservation).map(({ organizationId, kind, scopeId, month }) => ({
      account: this.#accounts.open(organizationId, kind, scopeId, month),
      limitNanos: Number.POSITIVE_INFINITY,
    }));
  }
}

/** Undefined if the owner has no budget of the kind. */
export function budgetOf(
  owner: BudgetOwner,
  kind: BudgetScopeKind,
  month: number,
  userId?: string,
): Budget | undefined {
  const [limitNanos, scopeId] = limitAndScope(owner, kind, userId);
  if (limitNanos === undefined || scopeId === undefined) return undefined;
  return { account: { organizationId: owner.organizationId, kind, scopeId, month }, limitNanos };
}

function limitAndScope(
  owner: BudgetOwner,
  kind: BudgetScopeKind,
  userId: string | undefined,
): readonly [number | undefined, string | undefined] {
  if (kind === 'organization') return [owner.organizationLimitNanos, ''];
  return kind === 'key' ? [owner.keyLimitNanos, owner.keyId] : [owner.userLimitNanos, userId];
}

function previous(month: number): number {
  return month % 100 === 1 ? month - 89 : month - 1;
}
