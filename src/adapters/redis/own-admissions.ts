// What this server itself has admitted and what still counts of it, by the clock of Redis: those not ended yet, those
// of the last window, and those that Redis has not been told of in their latest form. From it a Redis that was away,
// or has lost its data, is told again. Nothing here waits for anybody.

import type { Limit, PermitAsk } from '../../admission/rate-limiter.ts';

export type Admission = {
  /** As it was taken; what is handed back may be a copy of it. */
  readonly ask: PermitAsk;
  readonly takenAt: number;
  readonly expiresAt: number;
  /** Undefined until the call has ended. */
  usedTokens: number | undefined;
  isGivenBack: boolean;
  /** Limits of which there is nothing more to tell are left out. */
  limits: readonly Limit[];
};

/** Admissions that are over are thrown away this many at a time. */
const LEAST_WASTE = 1024;

export class OwnAdmissions {
  readonly open = new Map<string, Admission>();
  readonly untold = new Set<Admission>();
  #recent: Admission[] = [];
  #head = 0;

  add(ask: PermitAsk, takenAt: number, isTold: boolean): Admission {
    const { limits, expiresMs } = ask;
    const admission: Admission = {
      ask,
      takenAt,
      expiresAt: takenAt + expiresMs,
      usedTokens: undefined,
      isGivenBack: false,
      limits,
    };
    this.open.set(ask.id, admission);
    this.#recent.push(admission);
    if (!isTold) this.untold.add(admission);
    return admission;
  }

  /** Undefined when it was not taken here, or has ended already. */
  end(id: string): Admission | undefined {
    const admission = this.open.get(id);
    this.open.delete(id);
    return admission;
  }

  /** Everything that counts, the oldest first. */
  *counting(now: number): Generator<Admission> {
    this.forgetOver(now);
    for (const admission of this.open.values())
      if (admission.expiresAt > now && countsUntil(admission) <= now) yield admission;
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
        admission.limits = admission.limits.filter(({ kind }) => kind !== 'tokens_per_day');
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
      if (!oldest || (countsUntil(oldest) > now && !oldest.isGivenBack)) break;
      this.#head += 1;
    }
    if (this.#head > LEAST_WASTE && this.#head * 2 > this.#recent.length) {
      this.#recent = this.#recent.slice(this.#head);
      this.#head = 0;
    }
    // They lie in the order they were taken in: behind one that is still good nearly all are.
    for (const [id, { expiresAt, takenAt }] of this.open) {
      if (Math.max(expiresAt, takenAt + LATE_END_MS) > now) break;
      this.open.delete(id);
    }
  }
}

/** An end may be told so long after the taking, however soon the permit itself is forgotten. */
const LATE_END_MS = 60_000;

/** When its windows have passed; a day is left to its sum. */
function countsUntil({ ask, takenAt }: Admission): number {
  let until = takenAt;
  for (const { kind, windowMs } of ask.limits)
    if (kind === 'requests' || kind === 'tokens') until = Math.max(until, takenAt + windowMs);
  return until;
}
