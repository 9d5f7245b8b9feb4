// Decides requests for reservations in memory, without clock, store or journal. A request is reserved if it fits the
// unreserved amount of every budget it counts against, all or nothing. A request that fits the unspent amount but not the
// unreserved one waits at the account that has too little, and later requests wait behind it.
//
// States of a request: new → reserved → ended, or new → waiting → reserved | exceeded | withdrawn, or new → exceeded.

import { AttemptMap } from '../usage/attempt-map.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { type BudgetAccount, BudgetAccounts } from './budget-account.ts';
import type { BudgetReservation } from './budget-reservation.ts';

/** An account that a request counts against, and its limit. */
export type Charge = { readonly account: BudgetAccount<BookRequest>; readonly limitNanos: number };

export type BookRequest = {
  readonly reservation: BudgetReservation;
  readonly charges: readonly Charge[];
  /** Called once, if the request waited and other reservations have ended. */
  onReserved(): void;
  /** Called once, if the request waited and the unspent amount has become too small. */
  onExceeded(by: Charge): void;
};

type OpenReservation = Pick<BookRequest, 'reservation' | 'charges'>;

export class BudgetBook {
  readonly accounts = new BudgetAccounts<BookRequest>();
  readonly #open = new AttemptMap<OpenReservation>();

  /** `reserved`, `waiting` (a callback follows), or the charge that exceeds its limit. */
  reserve(request: BookRequest): 'reserved' | 'waiting' | Charge {
    const exceeded = firstExceeded(request);
    if (exceeded) return exceeded;
    const blocking = firstBlocking(request);
    if (blocking) {
      blocking.account.waiting.push(request);
      return 'waiting';
    }
    this.#take(request);
    return 'reserved';
  }

  /** Removes a waiting request and returns the charge it waited for; undefined if it does not wait. */
  withdraw(request: BookRequest): Charge | undefined {
    const charge = request.charges.find(({ account }) => account.waiting.includes(request));
    if (!charge) return undefined;
    const { account } = charge;
    account.waiting = account.waiting.filter((other) => other !== request);
    this.#serve(account);
    return charge;
  }

  /** A reservation of the previous process counts even above the limit: its attempt may have been sent. */
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

  /** Releases the reservation of an attempt that was never sent. False if there is none. */
  release(attemptId: string): boolean {
    const open = this.#end(attemptId);
    if (!open) return false;
    for (const { account } of open.charges) this.#serve(account);
    return true;
  }

  /** Posts the cost and ends the reservation. Returns the reserved amount; undefined if there was none. */
  settle(record: UsageRecord, month: number, costNanos: number): number | undefined {
    const open = this.#end(record.id);
    this.accounts.forEachOf(record, month, (account) => (account.postedNanos += costNanos));
    if (open) for (const { account } of open.charges) this.#serve(account);
    return open?.reservation.amountNanos;
  }

  /** The account may have more unreserved money: decides its waiting requests in order. */
  #serve(account: BudgetAccount<BookRequest>): void {
    if (account.waiting.length === 0) return;
    const line = account.waiting;
    const decided: (() => void)[] = [];
    account.waiting = [];
    for (const request of line) {
      const exceeded = firstExceeded(request);
      if (exceeded) decided.push(() => request.onExceeded(exceeded));
      // Requests behind a waiting request wait as well.
      else if (account.waiting.length > 0) account.waiting.push(request);
      else if (this.#takeOrQueue(request)) decided.push(() => request.onReserved());
    }
    // Called last, because a callback may start another request.
    for (const callBack of decided) callBack();
  }

  #takeOrQueue(request: BookRequest): boolean {
    const blocking = firstBlocking(request);
    if (blocking) blocking.account.waiting.push(request);
    else this.#take(request);
    return !blocking;
  }

  #take({ reservation, charges }: OpenReservation): void {
    // Stores no reference to the request: it refers to its caller, and entries of a busy map are garbage-collected
    // late.
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

function firstExceeded({ reservation, charges }: BookRequest): Charge | undefined {
  for (const charge of charges) {
    if (charge.account.postedNanos + reservation.amountNanos > charge.limitNanos) return charge;
  }
  return undefined;
}

function firstBlocking({ reservation, charges }: BookRequest): Charge | undefined {
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
