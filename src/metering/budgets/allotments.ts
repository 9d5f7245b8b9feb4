// The allotments of this server: money of a budget that the store has reserved under the server's name, from which the server
// pays attempts without asking the store. Bookkeeping only; allotment-renewal.ts talks to the store.
//
// The store has the amount of an allotment. Here it is `left`, or `unstored`: paid to attempts that the store does not know
// of yet. The invariant is amount ≥ left + unstored. Paying moves money from left to unstored; the end of an attempt moves
// the unused part back. An attempt leaves unstored once the store has its usage or its reservation; left does not grow then,
// because the store checks no limit when it stores usage. Only a grant makes left grow.
//
// A renewal decides which allotments this server should have: of every budget in use a standby allotment, of a busy
// organisation's budget a working one as well.
//
// States of an allotment: current (pays) → retired (pays nothing) → ended, once unstored is zero.

import { newId } from '../../kernel/ids.ts';
import { AttemptMap } from '../usage/attempt-map.ts';
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
/** An allotment pays for this part of its life: its expiry is renewed late by a tenth, and clocks differ. */
const PAYS_PART = 0.85;
const FORGET_AFTER_MS = 5 * 60_000;
/** The maximum number of budgets with allotments: every renewal processes the allotments of all of them. */
const MAX_BUDGETS = 2000;

class Allotment {
  readonly id = newId('alt');
  readonly purpose: AllotmentPurpose;
  readonly account: AccountName;
  leftNanos = 0;
  unstoredNanos = 0;
  wantedNanos = 0;
  paysUntil = Number.POSITIVE_INFINITY;
  isRetired = false;

  constructor(purpose: AllotmentPurpose, account: AccountName) {
    this.purpose = purpose;
    this.account = account;
  }

  /** Moves money from left to unstored, or back. */
  pay(nanos: number): void {
    this.leftNanos -= nanos;
    this.unstoredNanos += nanos;
  }

  /** Gives up what is left; true if that is anything. */
  empty(): boolean {
    if (this.leftNanos <= 0) return false;
    this.leftNanos = 0;
    return true;
  }

  /** It pays nothing from now on and keeps only the amount that covers its unstored attempts. */
  retire(): void {
    this.wantedNanos = 0;
    this.isRetired = true;
  }
}

/** A budget in use: its demand since the last renewal and its current allotments. */
type UsedBudget = {
  readonly account: AccountName;
  lastAskedAt: number;
  askedCount: number;
  askedNanos: number;
  standby?: Allotment | undefined;
  working?: Allotment | undefined;
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
  readonly #budgets = new Map<string, UsedBudget>();
  /** By id, retired ones as well. */
  readonly #allotments = new Map<string, Allotment>();
  readonly #paid = new AttemptMap<PaidAttempt>();
  #renewedAt: number;
  #isClosed = false;

  constructor(standbyLifeMs: number, now: number) {
    this.#standbyLifeMs = standbyLifeMs;
    this.#renewedAt = now;
  }

  get hasWorking(): boolean {
    return this.#workingIds().size > 0;
  }

  /** Counts a request: its budgets get allotments at the next renewal. True if that renewal should start at once. */
  note(reservation: BudgetReservation, now: number): boolean {
    const { reservesKey, reservesUser, amountNanos } = reservation;
    let isBusy = false;
    for (const account of accountsOf(reservation)) {
      const budget = this.#use(account);
      if (!budget) continue;
      budget.lastAskedAt = now;
      // Working allotments are for attempts that count against the organisation's budget alone.
      if (reservesKey || reservesUser) continue;
      budget.askedCount += 1;
      budget.askedNanos += amountNanos;
      isBusy = !budget.working && budget.askedCount === BUSY_COUNT;
    }
    return isBusy;
  }

  /** False if a budget of the reservation has no such allotment or too little left of it. */
  pay(reservation: BudgetReservation, purpose: AllotmentPurpose, now: number): boolean {
    const { id, amountNanos } = reservation;
    const from: Allotment[] = [];
    for (const account of accountsOf(reservation)) {
      const allotment = this.#budgets.get(keyOf(account))?.[purpose];
      if (!allotment || allotment.leftNanos < amountNanos || now >= allotment.paysUntil)
        return false;
      from.push(allotment);
    }
    for (const allotment of from) allotment.pay(amountNanos);
    this.#paid.set(id, { from, amountNanos, isOpen: true });
    return true;
  }

  /** The attempt has ended; the unused part of its reservation pays for others. */
  settle(attemptId: string, costNanos: number): void {
    const paid = this.#paid.get(attemptId);
    if (!paid?.isOpen) return;
    for (const allotment of paid.from) allotment.pay(costNanos - paid.amountNanos);
    paid.amountNanos = costNanos;
    paid.isOpen = false;
  }

  /** Releases the reservation of an attempt that was never sent. */
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

  /** True if the attempt was paid here and has not ended. */
  isOpen(attemptId: string): boolean {
    return this.#paid.get(attemptId)?.isOpen === true;
  }

  /** True until the allotment has ended. */
  has(allotmentId: string): boolean {
    return this.#allotments.has(allotmentId);
  }

  /** A budget of the reservation has too little for it: gives up what is left here; true if that is anything. */
  giveUp(reservation: BudgetReservation): boolean {
    const budgets = accountsOf(reservation).map((account) => this.#budgets.get(keyOf(account)));
    const emptied = budgets.flatMap((each) => [each?.working?.empty(), each?.standby?.empty()]);
    return emptied.includes(true);
  }

  /** Nothing is paid from now on; the next renewal gives back what is left. */
  close(): void {
    this.#isClosed = true;
    this.#budgets.clear();
    for (const allotment of this.#allotments.values()) allotment.retire();
  }

  /** Decides which allotments this server should have, and how large working ones should be. */
  renew(now: number): Renewal {
    const elapsedMs = Math.max(MIN_MEASURED_MS, now - this.#renewedAt);
    this.#renewedAt = now;
    const before = this.#workingIds();
    for (const [key, budget] of this.#budgets) {
      const isForgotten = now >= budget.lastAskedAt + FORGET_AFTER_MS;
      const demandNanos = takeDemand(budget, elapsedMs);
      this.#replace(budget, 'standby', !isForgotten, now);
      this.#replace(budget, 'working', demandNanos !== undefined, now);
      if (budget.working)
        budget.working.wantedNanos = budget.working.unstoredNanos + (demandNanos ?? 0);
      if (isForgotten) this.#budgets.delete(key);
    }
    for (const { id, isRetired, unstoredNanos } of this.#allotments.values())
      if (isRetired && unstoredNanos === 0) this.#allotments.delete(id);
    const requests = [...this.#allotments.values()].map((each) => this.#requestFor(each, now));
    const after = this.#workingIds();
    return {
      requests,
      created: [...after.difference(before)],
      ended: [...before.difference(after)],
    };
  }

  /** Takes what was granted above the floors; true if money that is short elsewhere was given up. */
  granted(requests: readonly AllotmentRequest[], grants: readonly AllotmentGrant[], now: number) {
    const grantOf = new Map(grants.map((grant) => [grant.id, grant]));
    let isGivenUp = false;
    for (const { id, floorNanos, expiresAt } of requests) {
      const [allotment, grant] = [this.#allotments.get(id), grantOf.get(id)];
      if (!grant || !allotment || allotment.isRetired) continue;
      allotment.leftNanos += grant.amountNanos - floorNanos;
      allotment.paysUntil = now + (expiresAt - now) * PAYS_PART;
      if (grant.isShort && allotment.empty()) isGivenUp = true;
    }
    return isGivenUp;
  }

  #use(account: AccountName): UsedBudget | undefined {
    const key = keyOf(account);
    const known = this.#budgets.get(key);
    if (known || this.#isClosed || this.#budgets.size >= MAX_BUDGETS) return known;
    const made: UsedBudget = { account, lastAskedAt: 0, askedCount: 0, askedNanos: 0 };
    this.#budgets.set(key, made);
    return made;
  }

  /** An allotment past its time may have been settled by the store: it is replaced. */
  #replace(budget: UsedBudget, purpose: AllotmentPurpose, isNeeded: boolean, now: number): void {
    const known = budget[purpose];
    if (known && isNeeded && now < known.paysUntil) return;
    known?.retire();
    const made = isNeeded ? new Allotment(purpose, budget.account) : undefined;
    budget[purpose] = made;
    if (made) this.#allotments.set(made.id, made);
  }

  #requestFor(allotment: Allotment, now: number): AllotmentRequest {
    const { id, account, purpose, unstoredNanos, wantedNanos } = allotment;
    const keptNanos = allotment.isRetired ? 0 : allotment.leftNanos;
    const floorNanos = Math.max(0, unstoredNanos + keptNanos);
    const expiresAt = now + (purpose === 'working' ? WORKING_LIFE_MS : this.#standbyLifeMs);
    return { id, account, purpose, floorNanos, wantedNanos, expiresAt };
  }

  #workingIds(): ReadonlySet<string> {
    const working = this.#allotments.values().filter(({ purpose }) => purpose === 'working');
    return new Set(working.map(({ id }) => id));
  }

  #forget(attemptId: string): void {
    const paid = this.#paid.get(attemptId);
    if (!paid) return;
    this.#paid.delete(attemptId);
    for (const allotment of paid.from) allotment.unstoredNanos -= paid.amountNanos;
  }
}

/** The demand of a busy organisation for WORKING_SPAN_MS; undefined if it is not busy. Resets the count. */
function takeDemand(budget: UsedBudget, elapsedMs: number): number | undefined {
  const { askedCount, askedNanos, working } = budget;
  budget.askedCount = 0;
  budget.askedNanos = 0;
  const busyPerSecond = working ? BUSY_PER_SECOND / 4 : BUSY_PER_SECOND;
  if ((askedCount * 1000) / elapsedMs < busyPerSecond) return undefined;
  return Math.ceil((askedNanos * WORKING_SPAN_MS) / elapsedMs);
}

function keyOf({ organizationId, month, kind, scopeId }: AccountName): string {
  return `${organizationId}\n${month}\n${kind}\n${scopeId}`;
}
