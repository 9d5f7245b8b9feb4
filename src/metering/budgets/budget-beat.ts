// What a server does for shared budgets every second: it renews its reserve, settles what dead servers reserved, gives back
// what they had set aside; and it finds out when the store is back.
// States: up → away (somebody could not reach the store) → returning (it answers again: what the journal has is stored
// first, because the reserve that paid for it is counted anew) → up.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetReserve } from './budget-reserve.ts';
import type { CrossedThreshold } from './budget-threshold.ts';
import type { SharedBudgetStore } from './shared-budget-store.ts';

export type BudgetBeatParts = {
  readonly store: SharedBudgetStore;
  readonly serverId: string;
  /** A server that is silent for so long gives its reserve to the others. */
  readonly reserveMs: number;
  /** Has the store take in all that the journal reservations; rejects while it is away. */
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reserve: BudgetReserve;
  /** The store has just been found to be away. */
  readonly onAway: () => void;
  readonly onCrossed: (thresholds: readonly CrossedThreshold[]) => void;
};

const BEAT_MS = 1000;
/** The part of its life after which a reserve is not spent: the store renews it late by a tenth, and clocks differ. */
const SPENDABLE_PART = 0.85;
/** Nobody takes from others before they, too, had time to come back. */
const SETTLED_AFTER_MS = 30_000;
const MAX_LOST = 500;

export class BudgetBeat {
  readonly #parts: BudgetBeatParts;
  #state: 'up' | 'away' | 'returning' = 'up';
  #upSince: number;
  #cancelTimer: CancelTimer | undefined;
  #beating: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: BudgetBeatParts) {
    this.#parts = parts;
    this.#upSince = parts.clock.monotonic();
    this.#plan();
  }

  get isAway(): boolean {
    return this.#state === 'away';
  }

  /** Now rather than when it is due; one at a time. */
  beat(): void {
    this.#cancelTimer?.();
    this.#beating ??= this.#tend()
      .catch(() => this.away())
      .finally(() => {
        this.#beating = undefined;
        this.#plan();
      });
  }

  away(): void {
    if (this.#state === 'away' || this.#isClosed) return;
    this.#state = 'away';
    this.#tell('warn', 'the store is away: budgets are served from what was set aside');
    this.#parts.onAway();
  }

  /** Gives back what was set aside. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#beating;
    const { store, serverId, clock } = this.#parts;
    if (this.#state !== 'up') return;
    await store.renewReserves(serverId, [], clock.now(), clock.now()).catch(() => {});
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#parts.clock.after(BEAT_MS, () => this.beat());
  }

  async #tend(): Promise<void> {
    const { store, clock, flush, onCrossed } = this.#parts;
    if (this.#state === 'away') {
      await store.reserveAll([], clock.now());
      this.#state = 'returning';
    }
    if (this.#state === 'returning') await flush();
    await this.#renew();
    if (this.#state === 'returning') this.#back();
    onCrossed(await store.loseExpired(clock.now(), MAX_LOST));
    if (clock.monotonic() - this.#upSince > SETTLED_AFTER_MS)
      await store.expireReserves(clock.now());
  }

  async #renew(): Promise<void> {
    const { store, serverId, reserveMs, clock, reserve } = this.#parts;
    const now = clock.now();
    const wishes = reserve.wishes(now);
    const reserves = await store.renewReserves(serverId, wishes, now, now + reserveMs);
    reserve.renew(reserves, now + reserveMs * SPENDABLE_PART);
  }

  #back(): void {
    this.#state = 'up';
    this.#upSince = this.#parts.clock.monotonic();
    this.#tell('info', 'the store is back: budgets are shared again');
  }

  #tell(level: 'info' | 'warn', message: string): void {
    this.#parts.log.write({ level, type: 'capacity', message });
  }
}
