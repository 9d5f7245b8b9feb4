// The allotments of this server: money of a budget that the store has reserved under the server's name, from which the server
// pays attempts without asking the store. Bookkeeping only; allotment-renewal.ts talks to the store.
//
// The store has the amount of an allotment. Here it is `left`, or `unstored`: paid to attempts that the store does not know
// of yet. The invariant is amount ≥ left + unstored. Paying moves money from left to unstored; the end of an attempt moves
// the unused part back. An attempt leaves unstored once the store has its usage or its reservation; left does not grow then,
// because the store checks no limit when it stores usage. Only a grant makes left grow.
//
// States: current (pays) → retired (pays nothing) → ended, once unstored is zero.

import { newId } from '../../kernel/ids.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import type { AccountName } from './budget-account.ts';
import { accountsOf, type BudgetReservation } from './budget-reservation.ts';
import type { AllotmentGrant, AllotmentPurpose, AllotmentRequest } from './shared-budget-store.ts';

/** Demand is measured over at least this time; a working allotment covers the demand of WORKING_SPAN_MS. */
export const MIN_MEASURED_MS = 250;
export const WORKING_SPAN_MS = 2000;
/** After this the store charges a working allotment that is not renewed. */
export const WORKING_LIFE_MS = 15_000;
/** From this many requests on an organisation has a working allotment, and keeps it down to a quarter of them. */
const BUSY_PER_SECOND = 64;
const BUSY_COUNT = (BUSY_PER_SECOND * MIN_MEASURED_MS) / 1000;
/** A standby allotment pays for this part of its life: its expiry is renewed late by a tenth, and clocks differ. */
const STANDBY_PAYS_PART = 0.85;
const FORGET_AFTER_MS = 5 * 60_000;
/** The store looks at all of them in every renewal. */
const MAX_ALLOTMENTS = 2000;

type Allotment = {
  readonly id: string;
  readonly purpose: AllotmentPurpose;
  readonly account: AccountName;
  lastAskedAt: number;
  /** Since the last renewal. */
  askedCount: number;
  askedNanos: number;
  leftNanos: number;
  unstoredNanos: number;
  wantedNanos: number;
  paysUntil: number;
  isRequested: boolean;
  isRetired: boolean;
};

type PaidAttempt = { readonly from: readonly Allotment[]; amountNanos: number; isOpen: boolean };

/** `created` and `ended` are ids of working allotments, for the journal. */
export type Renewal = {
  readonly requests: readonly AllotmentRequest[];
  readonly created: readonly string[];
  readonly ended: readonly string[];
};

export class Allotments {
  readonly #standbyLifeMs: number;
  readonly #current = new Map<string, Allotment>();
  readonly #byId = new Map<string, Allotment>();
  readonly #paid = new Map<string, PaidAttempt>();
  #renewedAt: number;
  #isClosed = false;

  constructor(standbyLifeMs: number, now: number) {
    this.#standbyLifeMs = standbyLifeMs;
    this.#renewedAt = now;
  }

  get hasWorking(): boolean {
    return [...this.#byId.values()].some(({ wantedNanos }) => wantedNanos > 0);
  }

  /** Counts a request: its accounts get allotments at the next renewal. True if that should not wait for its time. */
  note(reservation: BudgetReservation, now: number): boolean {
    const { reservesKey, reservesUser, amountNanos } = reservation;
    let isBusy = false;
    for (const account of accountsOf(reservation)) {
      // Working allotments are for attempts that count against the organisation's budget alone.
      const isLimited = reservesKey || reservesUser;
      const working = isLimited ? undefined : this.#touch('working', account, now);
      // Once per renewal is enough.
      if (!working || working.askedCount === 0) this.#touch('standby', account, now);
      if (!working) continue;
      working.askedCount += 1;
      working.askedNanos += amountNanos;
      isBusy = !working.isRequested && working.askedCount === BUSY_COUNT;
    }
    return isBusy;
  }

  /** False if an account of the reservation has no such allotment or too little left of it. */
  pay(reservation: BudgetReservation, purpose: AllotmentPurpose, now: number): boolean {
    const { id, amountNanos } = reservation;
    const from: Allotment[] = [];
    for (const account of accountsOf(reservation)) {
      const allotment = this.#current.get(keyOf(purpose, account));
      if (!allotment || allotment.leftNanos < amountNanos || now >= allotment.paysUntil)
        return false;
      from.push(allotment);
    }
    for (const allotment of from) move(allotment, amountNanos);
    this.#paid.set(id, { from, amountNanos, isOpen: true });
    return true;
  }

  /** The attempt has ended; the unused part of its reservation pays for others. */
  settle(attemptId: string, costNanos: number): void {
    const paid = this.#paid.get(attemptId);
    if (!paid?.isOpen) return;
    for (const allotment of paid.from) move(allotment, costNanos - paid.amountNanos);
    paid.amountNanos = costNanos;
    paid.isOpen = false;
  }

  /** The attempt was never sent. */
  release(attemptId: string): void {
    this.settle(attemptId, 0);
    this.#forget(attemptId);
  }

  /** The store has the usage of attempts that ended, and the reservations of attempts that last. */
  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    if (this.#paid.size === 0) return;
    for (const { id } of records) this.#forget(id);
    for (const { id } of opened) this.#forget(id);
  }

  /** Of an attempt: it was paid here and has not ended. Of an allotment: it has not ended. */
  isOpen(id: string): boolean {
    return this.#paid.get(id)?.isOpen === true || this.#byId.has(id);
  }

  /** A budget of the reservation has too little for it: gives up what is left here; true if that is anything. */
  giveUp(reservation: BudgetReservation): boolean {
    const allotments = accountsOf(reservation).flatMap((account) =>
      PURPOSES.map((purpose) => this.#current.get(keyOf(purpose, account))),
    );
    return allotments.filter((allotment) => allotment && empty(allotment)).length > 0;
  }

  /** Nothing is paid from now on; the next renewal gives back what is left. */
  close(): void {
    this.#isClosed = true;
    for (const allotment of this.#current.values()) allotment.isRetired = true;
    this.#current.clear();
  }

  /** Decides which allotments this server should have, and how large working ones should be. */
  renew(now: number): Renewal {
    const elapsedMs = Math.max(MIN_MEASURED_MS, now - this.#renewedAt);
    this.#renewedAt = now;
    for (const [key, allotment] of this.#current) {
      if (isNeeded(allotment, elapsedMs, now)) continue;
      this.#current.delete(key);
      allotment.isRetired = true;
    }
    const done = [...this.#byId.values()].filter(
      (each) => each.isRetired && each.unstoredNanos === 0,
    );
    for (const { id } of done) this.#byId.delete(id);
    const created = [...this.#byId.values()].filter(({ isRequested }) => !isRequested);
    for (const allotment of created) allotment.isRequested = true;
    const requests = [...this.#byId.values()].map((allotment) => this.#requestFor(allotment, now));
    const ended = done.filter(({ isRequested }) => isRequested);
    return { requests, created: workingIds(created), ended: workingIds(ended) };
  }

  /** Takes what was granted above the floors; true if money that is short elsewhere was given up. */
  granted(requests: readonly AllotmentRequest[], grants: readonly AllotmentGrant[], now: number) {
    const grantOf = new Map(grants.map((grant) => [grant.id, grant]));
    let isGivenUp = false;
    for (const { id, floorNanos, expiresAt } of requests) {
      const [allotment, grant] = [this.#byId.get(id), grantOf.get(id)];
      if (!grant || !allotment || allotment.isRetired) continue;
      allotment.leftNanos += grant.amountNanos - floorNanos;
      const paysPart = allotment.purpose === 'standby' ? STANDBY_PAYS_PART : 1;
      allotment.paysUntil = now + (expiresAt - now) * paysPart;
      if (grant.isShort && empty(allotment)) isGivenUp = true;
    }
    return isGivenUp;
  }

  #requestFor(allotment: Allotment, now: number): AllotmentRequest {
    const { id, account, purpose, isRetired, unstoredNanos, leftNanos, wantedNanos } = allotment;
    const floorNanos = Math.max(0, isRetired ? unstoredNanos : unstoredNanos + leftNanos);
    const expiresAt = now + (purpose === 'working' ? WORKING_LIFE_MS : this.#standbyLifeMs);
    return { id, account, purpose, floorNanos, wantedNanos, expiresAt };
  }

  #touch(purpose: AllotmentPurpose, account: AccountName, now: number): Allotment | undefined {
    const key = keyOf(purpose, account);
    const known = this.#current.get(key);
    if (known) known.lastAskedAt = now;
    if (known || this.#isClosed || this.#current.size >= MAX_ALLOTMENTS) return known;
    const made = { ...NEW, id: newId('alt'), purpose, account, lastAskedAt: now };
    this.#current.set(key, made);
    this.#byId.set(made.id, made);
    return made;
  }

  #forget(attemptId: string): void {
    const paid = this.#paid.get(attemptId);
    if (!paid) return;
    this.#paid.delete(attemptId);
    for (const allotment of paid.from) allotment.unstoredNanos -= paid.amountNanos;
  }
}

const PURPOSES: readonly AllotmentPurpose[] = ['working', 'standby'];

const NEW = {
  askedCount: 0,
  askedNanos: 0,
  leftNanos: 0,
  unstoredNanos: 0,
  wantedNanos: 0,
  paysUntil: Number.POSITIVE_INFINITY,
  isRequested: false,
  isRetired: false,
};

/** An allotment past its time may have been settled by the store: it is replaced. */
function isNeeded(allotment: Allotment, elapsedMs: number, now: number): boolean {
  const { askedCount, askedNanos, wantedNanos, unstoredNanos, lastAskedAt } = allotment;
  allotment.askedCount = 0;
  allotment.askedNanos = 0;
  if (now >= allotment.paysUntil || now >= lastAskedAt + FORGET_AFTER_MS) return false;
  if (allotment.purpose === 'standby') return true;
  allotment.wantedNanos = unstoredNanos + Math.ceil((askedNanos * WORKING_SPAN_MS) / elapsedMs);
  const busyPerSecond = wantedNanos > 0 ? BUSY_PER_SECOND / 4 : BUSY_PER_SECOND;
  return (askedCount * 1000) / elapsedMs >= busyPerSecond;
}

function move(allotment: Allotment, nanos: number): void {
  allotment.leftNanos -= nanos;
  allotment.unstoredNanos += nanos;
}

function empty(allotment: Allotment): boolean {
  const isAnything = allotment.leftNanos > 0;
  if (isAnything) allotment.leftNanos = 0;
  return isAnything;
}

function workingIds(allotments: readonly Allotment[]): readonly string[] {
  return allotments.filter(({ purpose }) => purpose === 'working').map(({ id }) => id);
}

function keyOf(purpose: AllotmentPurpose, account: AccountName): string {
  const { organizationId, month, kind, scopeId } = account;
  return `${purpose}\n${organizationId}\n${month}\n${kind}\n${scopeId}`;
}
