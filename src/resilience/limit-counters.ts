// The counters of all limits of one process and the decisions on them: every limit of an ask is checked, then all are taken
// from or none. Every request passes here: a limit's window is found by its subject, nothing is copied, and one
// organisation among a hundred thousand costs as much as one among ten. The permit is stored on the ask itself: a table of
// all permits in flight would be written twice per request and keep their objects alive far longer than the request.
// Windows of idle subjects are evicted a few at a time. There is no clock and no I/O; time comes with each ask.

import { DueTimes, intervalMs } from './due-times.ts';
import type {
  Limit,
  LimitKind,
  LimitStanding,
  PermitAsk,
  PermitDecision,
  TakenPermit,
} from './rate-limiter.ts';
import { createWindow, type LimitWindow } from './sliding-window.ts';

/** Windows are kept in monotonic time; timestamps in answers are wall-clock time. */
export type CounterTime = { readonly monotonic: number; readonly wall: number };

type Table = Map<string, LimitWindow>;

const ASKS_PER_EVICTION = 1024;
const EVICTION_STEPS = 256;

export class LimitCounters {
  readonly #maxOf: (limit: Limit) => number;
  readonly #tables = new Map<string, Record<LimitKind, Table>>();
  /** The windows of the current ask, by the index of the limit. */
  readonly #asked: LimitWindow[] = [];
  readonly #eviction: Iterator<undefined>;
  #now = 0;
  #asksUntilEviction = ASKS_PER_EVICTION;

  /** `maxOf` where less than the whole limit may be used. */
  constructor(maxOf: (limit: Limit) => number = wholeMax) {
    this.#maxOf = maxOf;
    this.#eviction = this.#evictIdle();
  }

  /** The number of windows in memory. */
  get size(): number {
    return this.#allTables().reduce((size, table) => size + table.size, 0);
  }

  take(ask: PermitAsk, time: CounterTime): PermitDecision {
    // Admissions expire at the start of a millisecond and are taken at its end: rounding never widens a window.
    const now = Math.floor(time.monotonic);
    this.#evict(now);
    const bindingIndex = this.#findBinding(ask, now);
    if (bindingIndex >= 0) return this.#refuse(ask, bindingIndex, now, time.wall);
    this.record(ask, Math.ceil(time.monotonic));
    return { isAllowed: true, standings: this.#standings(ask.limits, now, time.wall) };
  }

  /**
   * Counts an admission that was decided elsewhere, even above the limit; `limits` restricts which of its limits count
   * it.
   */
  record(ask: PermitAsk, takenAt: number, limits: readonly Limit[] = ask.limits): void {
    const expiresAt = takenAt + ask.expiresMs;
    const taken = { takenAt, expiresAt, owner: this, limits, isEnded: false };
    for (let index = 0; index < limits.length; index += 1) {
      const limit = limits[index];
      if (limit) this.#windowOf(limit).take(costOf(limit.kind, ask.tokens), limit.windowMs, taken);
    }
    ask.taken = taken;
  }

  giveBack(ask: PermitAsk): boolean {
    const taken = this.#end(ask);
    if (!taken) return false;
    for (const limit of taken.limits)
      this.#windowOf(limit).giveBack(costOf(limit.kind, ask.tokens), limit.windowMs, taken);
    return true;
  }

  settle(ask: PermitAsk, usedTokens: number): boolean {
    const taken = this.#end(ask);
    if (!taken) return false;
    for (const limit of taken.limits) {
      const cost = costOf(limit.kind, ask.tokens);
      this.#windowOf(limit).settle(cost, usedTokens, limit.windowMs, taken);
    }
    return true;
  }

  look(limits: readonly Limit[], time: CounterTime): LimitStanding[] {
    for (let index = 0; index < limits.length; index += 1) {
      const limit = limits[index];
      if (limit) this.#asked[index] = this.#windowOf(limit);
    }
    return this.#standings(limits, Math.floor(time.monotonic), time.wall);
  }

  clear(): void {
    this.#tables.clear();
  }

  /** Undefined when the permit was not taken here, or has ended already. */
  #end({ taken }: PermitAsk): TakenPermit | undefined {
    if (!taken || taken.isEnded || taken.owner !== this) return undefined;
    taken.isEnded = true;
    return taken;
  }

  /** The index of the limit with the longest wait, or -1 when all admit the ask. */
  #findBinding(ask: PermitAsk, now: number): number {
    let [binding, longestMs] = [-1, 0];
    for (let index = 0; index < ask.limits.length; index += 1) {
      const limit = ask.limits[index];
      if (!limit) continue;
      const window = this.#windowOf(limit);
      this.#asked[index] = window;
      if (ask.queueing?.hasWaited)
        window.dueTimes?.keepAlive(now, intervalMs(limit, costOf(limit.kind, ask.tokens)));
      const waitMs = this.#waitMs(ask, limit, window, now);
      if (waitMs <= longestMs) continue;
      binding = index;
      longestMs = waitMs;
    }
    return binding;
  }

  #waitMs({ tokens, queueing }: PermitAsk, limit: Limit, window: LimitWindow, now: number): number {
    const cost = costOf(limit.kind, tokens);
    const waitMs = window.waitMs(cost, this.#maxOf(limit), now);
    if (!queueing || queueing.hasWaited) return waitMs;
    const scheduledMs = window.dueTimes?.waitMs(now, intervalMs(limit, cost)) ?? 0;
    return Math.max(waitMs, scheduledMs, queueing.behindMs);
  }

  #refuse(ask: PermitAsk, index: number, now: number, wall: number): PermitDecision {
    const standings = this.#standings(ask.limits, now, wall);
    const binding = standings[index];
    const window = this.#asked[index];
    const refusal = { isAllowed: false, binding, standings } as const;
    if (!binding || !window) return { ...refusal, retryAfterMs: undefined };
    const { limit } = binding;
    const waitMs = this.#waitMs(ask, limit, window, now);
    if (waitMs === Number.POSITIVE_INFINITY) return { ...refusal, retryAfterMs: undefined };
    if (!ask.queueing || waitMs <= ask.queueing.patienceMs)
      return { ...refusal, retryAfterMs: Math.ceil(waitMs) };
    window.dueTimes ??= new DueTimes();
    const interval = intervalMs(limit, costOf(limit.kind, ask.tokens));
    const dueInMs = window.dueTimes.assign(now + waitMs, now, interval) - now;
    return { ...refusal, retryAfterMs: Math.ceil(waitMs), dueInMs };
  }

  #standings(limits: readonly Limit[], now: number, wall: number): LimitStanding[] {
    const standings: LimitStanding[] = [];
    for (let index = 0; index < limits.length; index += 1) {
      const limit = limits[index];
      const window = this.#asked[index];
      if (!limit || !window) continue;
      const remaining = Math.max(0, this.#maxOf(limit) - window.used(now));
      const freeAt = window.nextFreeAt();
      const resetAt = Math.ceil(freeAt === Number.POSITIVE_INFINITY ? wall : wall + freeAt - now);
      standings.push({ limit, remaining, resetAt });
    }
    return standings;
  }

  #windowOf({ tier, subject, kind }: Limit): LimitWindow {
    const table = this.#tableOf(tier, kind);
    const known = table.get(subject);
    if (known) return known;
    const window = createWindow(kind);
    table.set(subject, window);
    return window;
  }

  #tableOf(tier: string, kind: LimitKind): Table {
    let kinds = this.#tables.get(tier);
    if (!kinds) {
      kinds = newTables();
      this.#tables.set(tier, kinds);
    }
    return kinds[kind];
  }

  #evict(now: number): void {
    this.#asksUntilEviction -= 1;
    if (this.#asksUntilEviction > 0) return;
    this.#asksUntilEviction = ASKS_PER_EVICTION;
    this.#now = now;
    for (let step = 0; step < EVICTION_STEPS; step += 1) this.#eviction.next();
  }

  /** Cycles through all windows forever, one per step. */
  *#evictIdle(): Generator<undefined, never> {
    for (;;) {
      yield;
      for (const table of this.#allTables())
        for (const [subject, window] of table) {
          const isScheduled = window.dueTimes?.isOver(this.#now) === false;
          if (window.used(this.#now) === 0 && !isScheduled) table.delete(subject);
          yield;
        }
    }
  }

  #allTables(): Table[] {
    return [...this.#tables.values()].flatMap((kinds) => Object.values(kinds));
  }
}

export function costOf(kind: LimitKind, tokens: number): number {
  return kind === 'tokens' || kind === 'tokens_per_day' ? tokens : 1;
}

function wholeMax(limit: Limit): number {
  return limit.max;
}

function newTables(): Record<LimitKind, Table> {
  return {
    requests: new Map(),
    tokens: new Map(),
    tokens_per_day: new Map(),
    concurrent: new Map(),
  };
}
