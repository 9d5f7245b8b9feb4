// Money that this server took from a busy organisation's budget beforehand, so that its calls need not ask the store. It
// comes in parcels. A parcel is a reservation in the store like any other, in the name of the server; it pays for attempts of
// the next two seconds, and is given back when the store knows of every attempt that it paid for: by its usage, or by a
// reservation of its own where it lasts. So what is spent or on its way is counted in the store at every moment, once or twice,
// and never less than once. A parcel whose server died is settled as an estimate when it expires, as every reservation is.
//
// States of a parcel: asked for → paying → retired (its time is up, or nobody asks) → done (the store knows all): to be released.
// Pure; who asks the store, and when, is budget-lending.ts.

import type { UsageRecord } from '../usage/usage-record.ts';
import type { BudgetReservation } from './budget-reservation.ts';

/** How often it is looked at who is busy. */
export const LOOK_MS = 250;
/** How long a parcel pays. */
export const PAYS_MS = 2000;
/** So many asks between two looks make a parcel worth its while. */
const BUSY_ASKS = 16;
const DENIED_FOR_MS = 1000;

type Parcel = {
  readonly id: string;
  readonly month: number;
  readonly paysUntil: number;
  leftNanos: number;
  /** Attempts it paid for that have not ended. */
  openCount: number;
  /** Attempts it paid for of which the store knows nothing yet. */
  unknownCount: number;
};

type PaidAttempt = { readonly parcel: Parcel; readonly amountNanos: number; isOpen: boolean };

/** What an organisation has asked for since the last look, and the parcel it is paid from. */
type Till = {
  readonly organizationId: string;
  month: number;
  limitNanos: number;
  askedCount: number;
  askedNanos: number;
  parcel: Parcel | undefined;
  isAskedFor: boolean;
  deniedUntil: number;
};

/** A parcel that should be taken. */
export type LeaseWish = {
  readonly organizationId: string;
  readonly month: number;
  readonly limitNanos: number;
  readonly wantedNanos: number;
  /** With less it is not worth its while. */
  readonly leastNanos: number;
};

export class BudgetLeases {
  readonly #tills = new Map<string, Till>();
  readonly #paid = new Map<string, PaidAttempt>();
  readonly #parcels = new Map<string, Parcel>();
  readonly #askedFor = new Set<string>();

  /** Nothing is out, and nobody has asked of late. */
  get isIdle(): boolean {
    return this.#tills.size === 0 && this.#parcels.size === 0 && this.#askedFor.size === 0;
  }

  /** False when there is no money at hand for it; then the store is to be asked. */
  pay(reservation: BudgetReservation, limitNanos: number, now: number): boolean {
    const till = this.#tillOf(reservation.organizationId);
    till.month = reservation.month;
    till.limitNanos = limitNanos;
    till.askedCount += 1;
    till.askedNanos += reservation.amountNanos;
    const { parcel } = till;
    if (!parcel || parcel.month !== reservation.month || now >= parcel.paysUntil) return false;
    if (parcel.leftNanos < reservation.amountNanos) return false;
    parcel.leftNanos -= reservation.amountNanos;
    parcel.openCount += 1;
    parcel.unknownCount += 1;
    this.#paid.set(reservation.id, { parcel, amountNanos: reservation.amountNanos, isOpen: true });
    return true;
  }

  /** Of an attempt: it was paid here and has not ended. Of a parcel: it is not done. */
  isOpen(id: string): boolean {
    return this.#paid.get(id)?.isOpen === true || this.#parcels.has(id) || this.#askedFor.has(id);
  }

  /** The attempt has ended; what it did not cost pays for others. */
  settle(attemptId: string, costNanos: number): void {
    const paid = this.#paid.get(attemptId);
    if (!paid?.isOpen) return;
    paid.isOpen = false;
    paid.parcel.openCount -= 1;
    paid.parcel.leftNanos += paid.amountNanos - costNanos;
  }

  /** The attempt was never made. */
  release(attemptId: string): void {
    const paid = this.#forget(attemptId);
    if (paid?.isOpen) paid.parcel.leftNanos += paid.amountNanos;
  }

  /** The store has these now: the usage of attempts that ended, and reservations of those that last. */
  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    if (this.#paid.size === 0) return;
    for (const { id } of records) this.#forget(id);
    // From here on its own reservation stands for it. The parcel gets nothing back: the store never checked that there was room.
    for (const { id } of opened) this.#forget(id);
  }

  /** Retires what has paid long enough, and gives the parcels that should be taken. Once every LOOK_MS. */
  look(now: number): readonly LeaseWish[] {
    const wishes: LeaseWish[] = [];
    for (const till of this.#tills.values()) {
      const isQuiet = till.askedCount === 0;
      if (till.parcel && (isQuiet || now >= till.parcel.paysUntil)) till.parcel = undefined;
      if (needsParcel(till, now)) wishes.push(wishFor(till));
      if (isQuiet && !till.isAskedFor) this.#tills.delete(till.organizationId);
      till.askedCount = 0;
      till.askedNanos = 0;
    }
    return wishes;
  }

  /** The store is about to be asked for it. */
  asked({ id }: BudgetReservation): void {
    this.#askedFor.add(id);
  }

  granted({ id, organizationId, month, amountNanos }: BudgetReservation, paysUntil: number): void {
    const parcel = { id, month, paysUntil, leftNanos: amountNanos, openCount: 0, unknownCount: 0 };
    this.#askedFor.delete(id);
    this.#parcels.set(id, parcel);
    const till = this.#tills.get(organizationId);
    if (!till) return;
    till.isAskedFor = false;
    till.parcel = parcel;
  }

  /** There is too little left, or the store is away. */
  denied(organizationId: string, now: number, reservation?: BudgetReservation): void {
    if (reservation) this.#askedFor.delete(reservation.id);
    const till = this.#tills.get(organizationId);
    if (!till) return;
    till.isAskedFor = false;
    till.deniedUntil = now + DENIED_FOR_MS;
  }

  /** Its parcel pays no more: somebody is short of money. */
  retire(organizationId: string, now: number): void {
    const till = this.#tills.get(organizationId);
    if (!till) return;
    till.parcel = undefined;
    till.deniedUntil = now + DENIED_FOR_MS;
  }

  /** Somebody wants to know what is really reserved. */
  retireUnused(organizationId: string): void {
    const till = this.#tills.get(organizationId);
    if (till?.parcel?.openCount === 0) till.parcel = undefined;
  }

  retireAll(): void {
    this.#tills.clear();
  }

  /** The parcels that are done, which are forgotten here: their reservations are to be released. */
  takeDone(): readonly string[] {
    if (this.#parcels.size === 0) return [];
    const paying = new Set([...this.#tills.values()].map(({ parcel }) => parcel));
    const done = [...this.#parcels.values()].filter(
      (parcel) => parcel.unknownCount === 0 && !paying.has(parcel),
    );
    for (const { id } of done) this.#parcels.delete(id);
    return done.map(({ id }) => id);
  }

  #tillOf(organizationId: string): Till {
    const known = this.#tills.get(organizationId);
    if (known) return known;
    const made: Till = {
      organizationId,
      month: 0,
      limitNanos: 0,
      askedCount: 0,
      askedNanos: 0,
      parcel: undefined,
      isAskedFor: false,
      deniedUntil: 0,
    };
    this.#tills.set(organizationId, made);
    return made;
  }

  #forget(attemptId: string): PaidAttempt | undefined {
    const paid = this.#paid.get(attemptId);
    if (!paid) return undefined;
    this.#paid.delete(attemptId);
    paid.parcel.unknownCount -= 1;
    if (paid.isOpen) paid.parcel.openCount -= 1;
    return paid;
  }
}

/** The next one is asked for while the last still pays for two looks, or for one look's asks. */
function needsParcel(
  { askedCount, askedNanos, parcel, isAskedFor, deniedUntil }: Till,
  now: number,
) {
  if (askedCount < BUSY_ASKS || isAskedFor || now < deniedUntil) return false;
  if (!parcel) return true;
  return parcel.paysUntil - now <= 2 * LOOK_MS || parcel.leftNanos < askedNanos;
}

function wishFor(till: Till): LeaseWish {
  till.isAskedFor = true;
  const { organizationId, month, limitNanos, askedNanos } = till;
  const wantedNanos = askedNanos * (PAYS_MS / LOOK_MS);
  return { organizationId, month, limitNanos, wantedNanos, leastNanos: askedNanos };
}
