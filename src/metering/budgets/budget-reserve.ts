// What this server may spend while the store is away: small amounts that the store counts as reserved for it. Pure. They
// end at a moment after which the store may have given them to others; what was spent of them comes back only when the
// store knows of it.

import type { AccountName } from './budget-account.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';
import { accountsOf, type BudgetReservation } from './budget-reservation.ts';
import type { Reserve } from './shared-budget-store.ts';

/** Who has not asked for this long needs no reserve. */
const FORGOTTEN_AFTER_MS = 5 * 60_000;

/** Every server asks for all of them every second. */
const MAX_WISHES = 1000;

type Purse = {
  readonly account: AccountName;
  grantedNanos: number;
  spentNanos: number;
  lastAskedAt: number;
};

export class BudgetReserve {
  readonly #purses = new Map<string, Purse>();
  /** Reservations paid from here whose attempts have not ended. */
  readonly #open = new Map<string, BudgetReservation>();
  #endsAt = 0;

  /** Somebody asks: there should be a reserve for the next time the store is away. */
  touch(reservation: BudgetReservation, now: number): void {
    // Most reservation the organisation's budget alone, and nearly all have asked before.
    const { organizationId, month } = reservation;
    const known = this.#purses.get(keyOf(organizationId, month, 'organization', ''));
    if (known && !reservation.reservesKey && !reservation.reservesUser) known.lastAskedAt = now;
    else for (const account of accountsOf(reservation)) this.#touch(account, now);
  }

  wishes(now: number): readonly AccountName[] {
    for (const [key, purse] of this.#purses)
      if (purse.lastAskedAt + FORGOTTEN_AFTER_MS <= now) this.#purses.delete(key);
    const purses = [...this.#purses.values()];
    if (purses.length > MAX_WISHES) purses.sort((a, b) => b.lastAskedAt - a.lastAskedAt);
    return purses.slice(0, MAX_WISHES).map(({ account }) => account);
  }

  /** The store knows of all that was spent and of what is still open: there is a new beginning. */
  renew(reserves: readonly Reserve[], endsAt: number): void {
    this.#endsAt = endsAt;
    this.#open.clear();
    for (const purse of this.#purses.values()) {
      purse.grantedNanos = 0;
      purse.spentNanos = 0;
    }
    for (const reserve of reserves) {
      const purse = this.#purses.get(keyOfAccount(reserve));
      if (purse) purse.grantedNanos = reserve.amountNanos;
    }
  }

  /** False when one of the budgets has too little set aside. */
  take(reservation: BudgetReservation, now: number): boolean {
    if (now >= this.#endsAt) return false;
    const purses = this.#pursesOf(reservation);
    const { amountNanos } = reservation;
    if (!purses.every((purse) => purse && purse.grantedNanos - purse.spentNanos >= amountNanos))
      return false;
    for (const purse of purses) if (purse) purse.spentNanos += amountNanos;
    this.#open.set(reservation.id, reservation);
    return true;
  }

  /** The attempt has ended: what it did not cost can be spent by others. */
  end(attemptId: string, costNanos: number): void {
    if (this.#open.size === 0) return;
    const reservation = this.#open.get(attemptId);
    if (!reservation) return;
    this.#open.delete(attemptId);
    for (const purse of this.#pursesOf(reservation))
      if (purse)
        purse.spentNanos -= Math.min(purse.spentNanos, reservation.amountNanos - costNanos);
  }

  hasFor(reservation: BudgetReservation): boolean {
    return this.#pursesOf(reservation).some((purse) => purse && purse.grantedNanos > 0);
  }

  isOpen(attemptId: string): boolean {
    return this.#open.has(attemptId);
  }

  #touch(account: AccountName, now: number): void {
    const key = keyOfAccount(account);
    const known = this.#purses.get(key);
    if (known) known.lastAskedAt = now;
    else this.#purses.set(key, { account, grantedNanos: 0, spentNanos: 0, lastAskedAt: now });
  }

  #pursesOf(reservation: BudgetReservation): readonly (Purse | undefined)[] {
    return accountsOf(reservation).map((account) => this.#purses.get(keyOfAccount(account)));
  }
}

function keyOfAccount({ organizationId, month, kind, scopeId }: AccountName): string {
  return keyOf(organizationId, month, kind, scopeId);
}

function keyOf(
  organizationId: string,
  month: number,
  kind: BudgetScopeKind,
  scopeId: string,
): string {
  return `${organizationId}\n${month}\n${kind}\n${scopeId}`;
}
