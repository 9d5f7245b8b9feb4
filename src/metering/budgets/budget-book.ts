// The decision, pure and at once: does what is asked for fit beside what is spent and reserved, in every budget it counts
// against, all or nothing? An ask that fits what is unspent but not what is unreserved waits in the line of the account
// that has no room, and whoever comes later waits behind it. Knows no clock, no store and no journal.
//
// States of an ask: asked → reserved → ended, or asked → waiting → reserved | exceeded | withdrawn, or asked → exceeded.

import type { UsageRecord } from '../usage/usage-record.ts';
import { type BudgetAccount, BudgetAccounts } from './budget-account.ts';
import type { BudgetReservation } from './budget-reservation.ts';

export type Charge = { readonly account: BudgetAccount<BookAsk>; readonly limitNanos: number };

export type BookAsk = {
  readonly reservation: BudgetReservation;
  readonly charges: readonly Charge[];
  /** Called once, when others have made room. */
  onReserved(): void;
  /** Called once, when what others spent leaves too little. */
  onExceeded(by: Charge): void;
};

type OpenReservation = Pick<BookAsk, 'reservation' | 'charges'>;

export class BudgetBook {
  readonly accounts = new BudgetAccounts<BookAsk>();
  readonly #open = new Map<string, OpenReservation>();

  /** `reserved`, `waiting` (it is called back), or the charge that cannot be met. */
  ask(ask: BookAsk): 'reserved' | 'waiting' | Charge {
    const exceeded = firstExceeded(ask);
    if (exceeded) return exceeded;
    const blocking = firstBlocking(ask);
    if (blocking) {
      blocking.account.waiting.push(ask);
      return 'waiting';
    }
    this.#take(ask);
    return 'reserved';
  }

  /** Takes back an ask that waits, and says for what it waited; undefined when it does not. */
  withdraw(ask: BookAsk): Charge | undefined {
    const charge = ask.charges.find(({ account }) => account.waiting.includes(ask));
    if (!charge) return undefined;
    const { account } = charge;
    account.waiting = account.waiting.filter((other) => other !== ask);
    this.#serve(account);
    return charge;
  }

  /** A reservation of a former life counts whether or not there is room: its attempt may have been made. */
  adopt(reservation: BudgetReservation, charges: readonly Charge[]): void {
    this.#take({ reservation, charges });
  }

  isOpen(attemptId: string): boolean {
    return this.#open.has(attemptId);
  }

  reservations(): Iterable<OpenReservation> {
    return this.#open.values();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** The attempt was never made. False when nothing is reserved for it. */
  release(attemptId: string): boolean {
    const open = this.#end(attemptId);
    if (!open) return false;
    for (const { account } of open.charges) this.#serve(account);
    return true;
  }

  /** What it cost takes the place of what was reserved. Gives what was reserved, undefined when nothing was. */
  settle(record: UsageRecord, month: number, costNanos: number): number | undefined {
    const open = this.#end(record.id);
    this.accounts.forEachOf(record, month, (account) => (account.postedNanos += costNanos));
    if (open) for (const { account } of open.charges) this.#serve(account);
    return open?.reservation.amountNanos;
  }

  /** What the account has to give may have grown: whoever waits first is served first. */
  #serve(account: BudgetAccount<BookAsk>): void {
    if (account.waiting.length === 0) return;
    const line = account.waiting;
    const decided: (() => void)[] = [];
    account.waiting = [];
    for (const ask of line) {
      const exceeded = firstExceeded(ask);
      if (exceeded) decided.push(() => ask.onExceeded(exceeded));
      // Behind somebody who still waits here, everybody waits.
      else if (account.waiting.length > 0) account.waiting.push(ask);
      else if (this.#takeOrQueue(ask)) decided.push(() => ask.onReserved());
    }
    // Told last, because whoever is told may ask again.
    for (const tell of decided) tell();
  }

  #takeOrQueue(ask: BookAsk): boolean {
    const blocking = firstBlocking(ask);
    if (blocking) blocking.account.waiting.push(ask);
    else this.#take(ask);
    return !blocking;
  }

  #take({ reservation, charges }: OpenReservation): void {
    // Not the ask itself: who waits for it hangs on it, and what lies in a busy map is collected late.
    this.#open.set(reservation.id, { reservation, charges });
    for (const { account } of charges) account.reservedNanos += reservation.amountNanos;
  }

  #end(attemptId: string): OpenReservation | undefined {
    const open = this.#open.get(attemptId);
    if (!open) return undefined;
    this.#open.delete(attemptId);
    for (const { account } of open.charges) account.reservedNanos -= open.reservation.amountNanos;
    return open;
  }
}

function firstExceeded({ reservation, charges }: BookAsk): Charge | undefined {
  for (const charge of charges) {
    if (charge.account.postedNanos + reservation.amountNanos > charge.limitNanos) return charge;
  }
  return undefined;
}

function firstBlocking({ reservation, charges }: BookAsk): Charge | undefined {
  for (const charge of charges) {
    const { postedNanos, reservedNanos, waiting } = charge.account;
    if (
      waiting.length > 0 ||
      postedNanos + reservedNanos + reservation.amountNanos > charge.limitNanos
    )
      return charge;
  }
  return undefined;
}
