// What this server itself has admitted and what still counts of it, by the clock of Redis: those of the last window,
// those that last longer, and those that Redis has not been told of in their latest form. From it a Redis that was away,
// or has lost its data, is told again. Nothing here waits for anybody.
//
// Every request leaves one of these for the length of a window, so it is small, hangs on nothing of the request, and is
// found by the ask it was made for instead of in a table.

import type { Limit, PermitAsk, TakenPermit } from '../../../resilience/rate-limiter.ts';

export class Admission implements TakenPermit {
  readonly book: object;
  readonly id: string;
  readonly tokens: number;
  readonly expiresMs: number;
  readonly limits: readonly Limit[];
  readonly takenAt: number;
  isEnded = false;
  isGivenBack = false;
  /** Undefined until the call has ended. */
  usedTokens: number | undefined = undefined;
  /** Limits of which there is nothing more to tell are left out. */
  toTell: readonly Limit[];
  /** What a server that is alone has counted for it. */
  taken: TakenPermit | undefined;

  constructor(book: object, ask: PermitAsk, takenAt: number) {
    this.book = book;
    this.id = ask.id;
    this.tokens = ask.tokens;
    this.expiresMs = ask.expiresMs;
    this.limits = ask.limits;
    this.takenAt = takenAt;
    this.toTell = ask.limits;
    // A copy of an ask may carry what was taken for the first one.
    this.taken = ask.taken instanceof Admission ? undefined : ask.taken;
  }

  get expiresAt(): number {
    return this.takenAt + this.expiresMs;
  }

  /** When its windows have passed; a day is left to its sum. */
  get countsUntil(): number {
    let until = this.takenAt;
    for (const { kind, windowMs } of this.limits)
      if (kind === 'requests' || kind === 'tokens')
        until = Math.max(until, this.takenAt + windowMs);
    return until;
  }

  /** Slots and reservations count for as long as the call lasts. */
  isOpen(now: number): boolean {
    return !this.isEnded && this.expiresAt > now;
  }
}

/** Admissions that are over are thrown away this many at a time. */
const MIN_WASTE = 1024;

export class OwnAdmissions {
  readonly untold = new Set<Admission>();
  #recent: Admission[] = [];
  #head = 0;
  /** Calls that outlast their windows. */
  readonly #lasting = new Set<Admission>();

  /** It is noted on the ask, where `end` finds it. */
  add(ask: PermitAsk, takenAt: number, isTold: boolean): Admission {
    const admission = new Admission(this, ask, takenAt);
    ask.taken = admission;
    this.#recent.push(admission);
    if (!isTold) this.untold.add(admission);
    return admission;
  }

  /** Undefined when it was not taken here, or has ended already. The ask may be a copy. */
  end({ taken }: PermitAsk): Admission | undefined {
    if (!(taken instanceof Admission) || taken.book !== this || taken.isEnded) return undefined;
    taken.isEnded = true;
    return taken;
  }

  /** Everything that counts, the oldest first. */
  *counting(now: number): Generator<Admission> {
    this.forgetOver(now);
    for (const admission of this.#lasting) if (admission.isOpen(now)) yield admission;
    for (let index = this.#head; index < this.#recent.length; index += 1) {
      const admission = this.#recent[index];
      if (admission && !admission.isGivenBack) yield admission;
    }
  }

  /** Redis has lost its data. What was used of a day is told as a sum, and not by those who used it. */
  forgetTold(now: number): void {
    for (const admission of this.counting(now)) {
      const isSummed = admission.usedTokens !== undefined && !this.untold.has(admission);
      if (isSummed)
        admission.toTell = admission.toTell.filter(({ kind }) => kind !== 'tokens_per_day');
      this.untold.add(admission);
    }
  }

  /** Takes out so many to be told; who fails to tell them puts them back. */
  takeUntold(most: number): Admission[] {
    const some: Admission[] = [];
    for (const admission of this.untold) {
      if (some.length === most) break;
      this.untold.delete(admission);
      some.push(admission);
    }
    return some;
  }

  forgetOver(now: number): void {
    for (;;) {
      const oldest = this.#recent[this.#head];
      if (!oldest || (oldest.countsUntil > now && !oldest.isGivenBack)) break;
      if (oldest.isOpen(now)) this.#lasting.add(oldest);
      this.#head += 1;
    }
    if (this.#head <= MIN_WASTE || this.#head * 2 <= this.#recent.length) return;
    this.#recent = this.#recent.slice(this.#head);
    this.#head = 0;
  }

  /** Those that have ended meanwhile; now and then. */
  forgetEnded(now: number): void {
    for (const admission of this.#lasting)
      if (!admission.isOpen(now)) this.#lasting.delete(admission);
  }
}
