// All limits of one process and the decisions on them: every limit that concerns a call is asked, and all are taken
// from or none. It is on the way of every request: a limit is found by its subject alone, nothing is copied, and one
// organisation among a hundred thousand costs what one among ten does. What an ask has taken is noted on the ask itself:
// a table of all that is under way would be written twice for each request, and the engine keeps what hangs on such a
// table far longer than the request lasts. Subjects that are idle are forgotten a few at a time. It has no clock and no
// I/O; time comes with each question.

import { giveComeback } from './due-times.ts';
import type {
  Limit,
  LimitKind,
  LimitStanding,
  PermitAsk,
  PermitDecision,
  TakenPermit,
} from './rate-limiter.ts';
import { createWindow, type LimitWindow } from './sliding-window.ts';

/** Elapsed time by which windows are kept, and the wall's, in which moments are told. */
export type CounterTime = { readonly monotonic: number; readonly wall: number };

type Table = Map<string, LimitWindow>;

const TIDY_EVERY = 1024;
const TIDIED_AT_ONCE = 256;

export class LimitCounters {
  readonly #maxOf: (limit: Limit) => number;
  readonly #tables = new Map<string, Record<LimitKind, Table>>();
  readonly #asked: LimitWindow[] = [];
  readonly #broom: Iterator<undefined>;
  #now = 0;
  #untilTidy = TIDY_EVERY;

  /** `maxOf` where less than the whole limit may be used. */
  constructor(maxOf: (limit: Limit) => number = wholeMax) {
    this.#maxOf = maxOf;
    this.#broom = this.#sweep();
  }

  /** How many subjects are remembered, each limit of theirs by itself. */
  get size(): number {
    return this.#allTables().reduce((size, table) => size + table.size, 0);
  }

  take(ask: PermitAsk, time: CounterTime): PermitDecision {
    // A part of a millisecond is never given away: what is over is judged by its beginning, what is taken by its end.
    const now = Math.floor(time.monotonic);
    this.#tidy(now);
    const bindingIndex = this.#findBinding(ask, now);
    if (bindingIndex >= 0) return this.#refuse(ask, bindingIndex, now, time.wall);
    this.record(ask, Math.ceil(time.monotonic));
    return { isAllowed: true, standings: this.#standings(ask.limits, now, time.wall) };
  }

  /** Counts what was admitted elsewhere, whether or not there is room for it; of some of its limits where told so. */
  record(ask: PermitAsk, takenAt: number, limits: readonly Limit[] = ask.limits): void {
    const expiresAt = takenAt + ask.expiresMs;
    const taken = { takenAt, expiresAt, book: this, limits, isEnded: false };
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

  /** Undefined when it was not taken here, or has ended already. */
  #end({ taken }: PermitAsk): TakenPermit | undefined {
    if (!taken || taken.isEnded || taken.book !== this) return undefined;
    taken.isEnded = true;
    return taken;
  }

  /** The limit that makes it wait longest, or -1 when all have room. */
  #findBinding({ limits, tokens }: PermitAsk, now: number): number {
    let [binding, longestMs] = [-1, 0];
    for (let index = 0; index < limits.length; index += 1) {
      const limit = limits[index];
      if (!limit) continue;
      const window = this.#windowOf(limit);
      this.#asked[index] = window;
      const waitMs = window.waitMs(costOf(limit.kind, tokens), this.#maxOf(limit), now);
      if (waitMs <= longestMs) continue;
      binding = index;
      longestMs = waitMs;
    }
    return binding;
  }

  #refuse(ask: PermitAsk, index: number, now: number, wall: number): PermitDecision {
    const standings = this.#standings(ask.limits, now, wall);
    const binding = standings[index];
    const window = this.#asked[index];
    const refusal = { isAllowed: false, binding, standings } as const;
    if (!binding || !window) return { ...refusal, retryAfterMs: undefined, comeBackMs: undefined };
    const { kind, windowMs } = binding.limit;
    const [cost, max] = [costOf(kind, ask.tokens), this.#maxOf(binding.limit)];
    const waitMs = window.waitMs(cost, max, now);
    if (waitMs === Number.POSITIVE_INFINITY)
      return { ...refusal, retryAfterMs: undefined, comeBackMs: undefined };
    const comeBackMs = ask.wantsComeback
      ? giveComeback(window, now + waitMs, { kind, max, windowMs, cost }) - now
      : undefined;
    return { ...refusal, retryAfterMs: waitMs, comeBackMs };
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

  #tidy(now: number): void {
    this.#untilTidy -= 1;
    if (this.#untilTidy > 0) return;
    this.#untilTidy = TIDY_EVERY;
    this.#now = now;
    for (let step = 0; step < TIDIED_AT_ONCE; step += 1) this.#broom.next();
  }

  /** Goes round for ever, one thing at each step. */
  *#sweep(): Generator<undefined, never> {
    for (;;) {
      yield;
      for (const table of this.#allTables())
        for (const [subject, window] of table) {
          if (window.used(this.#now) === 0 && window.comebackAt <= this.#now) table.delete(subject);
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
