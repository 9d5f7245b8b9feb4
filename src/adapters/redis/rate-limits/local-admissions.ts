// The admissions of this server that still count, in Redis' time: admissions of the last window, calls that outlast their
// window, and admissions with a state that Redis has not received. From them the server reports again after Redis was
// unavailable or has lost its data. No I/O.
//
// Every request leaves an admission for the length of a window, so it is small, references nothing else of the request, and
// is found through the ask instead of a table.

import type { Limit, PermitAsk, TakenPermit } from '../../../resilience/rate-limiter.ts';

export class Admission implements TakenPermit {
  readonly owner: object;
  readonly id: string;
  readonly tokens: number;
  readonly expiresMs: number;
  readonly limits: readonly Limit[];
  readonly takenAt: number;
  isEnded = false;
  isGivenBack = false;
  /** Undefined until the call has ended. */
  usedTokens: number | undefined = undefined;
  /** The limits that Redis still needs a report of. */
  limitsToReport: readonly Limit[];
  /** The admission in the counters of the safe share. */
  taken: TakenPermit | undefined;

  constructor(owner: object, ask: PermitAsk, takenAt: number) {
    this.owner = owner;
    this.id = ask.id;
    this.tokens = ask.tokens;
    this.expiresMs = ask.expiresMs;
    this.limits = ask.limits;
    this.takenAt = takenAt;
    this.limitsToReport = ask.limits;
    // A copy of an ask may carry the admission of the original.
    this.taken = ask.taken instanceof Admission ? undefined : ask.taken;
  }

  get expiresAt(): number {
    return this.takenAt + this.expiresMs;
  }

  /** When its windows have passed. A day window is reported as a sum and does not count here. */
  get countsUntil(): number {
    let until = this.takenAt;
    for (const { kind, windowMs } of this.limits)
      if (kind === 'requests' || kind === 'tokens')
        until = Math.max(until, this.takenAt + windowMs);
    return until;
  }

  /** Slots and reservations count while the call lasts. */
  isOpen(now: number): boolean {
    return !this.isEnded && this.expiresAt > now;
  }
}

/** Expired admissions are freed at least this many at a time. */
const MIN_EXPIRED = 1024;

export class LocalAdmissions {
  readonly unreported = new Set<Admission>();
  #recent: Admission[] = [];
  #head = 0;
  /** Calls that outlast their windows. */
  readonly #lasting = new Set<Admission>();

  /** Stores the admission on the ask, where `end` finds it. */
  add(ask: PermitAsk, takenAt: number, isReported: boolean): Admission {
    const admission = new Admission(this, ask, takenAt);
    ask.taken = admission;
    this.#recent.push(admission);
    if (!isReported) this.unreported.add(admission);
    return admission;
  }

  /** Undefined when the permit was not taken here, or has ended already. The ask may be a copy. */
  end({ taken }: PermitAsk): Admission | undefined {
    if (!(taken instanceof Admission) || taken.owner !== this || taken.isEnded) return undefined;
    taken.isEnded = true;
    return taken;
  }

  /** All admissions that count, the oldest first. */
  *counting(now: number): Generator<Admission> {
    this.dropExpired(now);
    for (const admission of this.#lasting) if (admission.isOpen(now)) yield admission;
    for (let index = this.#head; index < this.#recent.length; index += 1) {
      const admission = this.#recent[index];
      if (admission && !admission.isGivenBack) yield admission;
    }
  }

  /** Redis has lost its data. Used tokens of a day are reported as one sum, not by each admission. */
  markAllUnreported(now: number): void {
    for (const admission of this.counting(now)) {
      const isSummed = admission.usedTokens !== undefined && !this.unreported.has(admission);
      if (isSummed)
        admission.limitsToReport = admission.limitsToReport.filter(
          ({ kind }) => kind !== 'tokens_per_day',
        );
      this.unreported.add(admission);
    }
  }

  /** Removes at most `max` for a report; the caller adds them again when the report fails. */
  takeUnreported(max: number): Admission[] {
    const some: Admission[] = [];
    for (const admission of this.unreported) {
      if (some.length === max) break;
      this.unreported.delete(admission);
      some.push(admission);
    }
    return some;
  }

  dropExpired(now: number): void {
    for (;;) {
      const oldest = this.#recent[this.#head];
      if (!oldest || (oldest.countsUntil > now && !oldest.isGivenBack)) break;
      if (oldest.isOpen(now)) this.#lasting.add(oldest);
      this.#head += 1;
    }
    if (this.#head <= MIN_EXPIRED || this.#head * 2 <= this.#recent.length) return;
    this.#recent = this.#recent.slice(this.#head);
    this.#head = 0;
  }

  /** Frees lasting calls that have ended; called periodically. */
  dropEnded(now: number): void {
    for (const admission of this.#lasting)
      if (!admission.isOpen(now)) this.#lasting.delete(admission);
  }
}
