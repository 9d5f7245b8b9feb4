// The dispatcher's own count of what it let through to each provider: the prevention layer. It is a separate count from
// that of the calls really made, which the workers keep. Messages of other systems are asked about one by one and
// are given moments to come back at; jobs of callers, which are held in a fair order, wait for their turn where they
// are. While the shared counts are away both pause.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { DispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { createPermitLine, intervalMs, type LineAnswer, type LineQuestion } from './permit-line.ts';

export type DispatchLimit = {
  ask(provider: string, as: LineQuestion['as'], wait?: DispatchWait): Promise<DispatchAnswer>;
  /** A job was put off: for measuring. That a provider had no room does not mean so, where another had. */
  noteDelayed(provider: string, delayMs: number): void;
  /** For who is held, one at a time: resolves when there is room and it is taken; false when told to stop first. */
  waitForTurn(provider: string, signal: AbortSignal): Promise<boolean>;
};

/** The moment that was its own, of one who had to wait for it; and what ends its wait for an answer. */
export type DispatchWait = Pick<LineQuestion, 'dueAt' | 'signal'>;

export type DispatchAnswer =
  | { readonly kind: 'allowed'; readonly giveBack: () => void }
  | Extract<LineAnswer, { kind: 'later' | 'stay' }>;

export type DispatchLimitParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly limitOf: (provider: string) => Limit | undefined;
  readonly metrics: DispatchMetrics;
  readonly clock: Clock;
  readonly newId: NewId;
};

/** What is lost by being late is made up for, but not more of it: that would be a herd. */
const MAX_MADE_UP_MS = 250;

const NOTHING_TAKEN: DispatchAnswer = { kind: 'allowed', giveBack: () => {} };

export function createDispatchLimit(parts: DispatchLimitParts): DispatchLimit {
  const { limiter, limitOf, metrics, clock, newId } = parts;
  const askInLine = createPermitLine({ limiter, clock });
  /** When the next of those who are held goes. */
  const turns = new Map<string, number>();

  async function ask(
    provider: string,
    as: LineQuestion['as'],
    wait: DispatchWait = {},
  ): Promise<DispatchAnswer> {
    const limit = limitOf(provider);
    if (!limit) return NOTHING_TAKEN;
    const answer = await askInLine({ id: newId('att'), limits: [limit], as, ...wait });
    metrics.checked(provider, answer.kind);
    // A limit of one never refuses one for ever.
    if (answer.kind === 'never') return NOTHING_TAKEN;
    if (answer.kind !== 'allowed') return answer;
    return { kind: 'allowed', giveBack: () => limiter.giveBack(answer.ask) };
  }

  /** Waits until this provider's next turn, when somebody had to wait for the one before; whether it did. */
  async function keepPace(provider: string, signal: AbortSignal): Promise<boolean> {
    const waitMs = (turns.get(provider) ?? 0) - clock.now();
    if (waitMs > 0) await sleep(clock, waitMs, signal).catch(() => {});
    return waitMs > -MAX_MADE_UP_MS;
  }

  /** Those who wait go one interval apart and not all at once when a whole window is free again. */
  function notePace(provider: string, hasWaited: boolean): void {
    const limit = limitOf(provider);
    if (!limit || !hasWaited) return void turns.delete(provider);
    const now = clock.now();
    // The first who waited has nothing to make up for.
    const from = Math.max(turns.get(provider) ?? now, now - MAX_MADE_UP_MS);
    turns.set(provider, from + intervalMs(limit));
  }

  return {
    ask,
    noteDelayed: (provider, delayMs) => metrics.delayed(provider, delayMs),
    async waitForTurn(provider, signal) {
      let hasWaited = await keepPace(provider, signal);
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const answer = await ask(provider, 'present');
        if (answer.kind === 'allowed') {
          notePace(provider, hasWaited);
          return true;
        }
        hasWaited = true;
        if (isFirst) metrics.delayed(provider, answer.afterMs);
        await sleep(clock, answer.afterMs, signal).catch(() => {});
      }
      return false;
    },
  };
}
