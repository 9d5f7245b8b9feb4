// The dispatcher's own count of what it let through to each provider: the prevention layer. It is a separate count from
// that of the calls really made, which the workers keep. Messages of other systems are asked about one by one and
// are given moments to come back at; jobs of callers, which are held in a fair order, wait for their turn where they
// are. While the shared counts are away both pause.

import type { Limit, RateLimiter } from '../admission/rate-limiter.ts';
import { type Clock, sleep } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { DispatchMetrics } from './dispatch-metrics.ts';
import { createPermitLine, type LineAnswer, type LineQuestion } from './permit-line.ts';

export type DispatchLimit = {
  ask(provider: string, as: LineQuestion['as']): Promise<DispatchAnswer>;
  /** A job was put off: for measuring. That a provider had no room does not mean so, where another had. */
  noteDelayed(provider: string, delayMs: number): void;
  /** For who is held: resolves when there is room and it is taken; false when told to stop first. */
  waitForTurn(provider: string, signal: AbortSignal): Promise<boolean>;
};

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

const NOTHING_TAKEN: DispatchAnswer = { kind: 'allowed', giveBack: () => {} };

export function createDispatchLimit(parts: DispatchLimitParts): DispatchLimit {
  const { limiter, limitOf, metrics, clock, newId } = parts;
  const askInLine = createPermitLine({ limiter, clock });

  async function ask(provider: string, as: LineQuestion['as']): Promise<DispatchAnswer> {
    const limit = limitOf(provider);
    if (!limit) return NOTHING_TAKEN;
    const answer = await askInLine({ id: newId('att'), limits: [limit], as });
    metrics.checked(provider, answer.kind);
    // A limit of one never refuses one for ever.
    if (answer.kind === 'never') return NOTHING_TAKEN;
    if (answer.kind !== 'allowed') return answer;
    return { kind: 'allowed', giveBack: () => limiter.giveBack(answer.ask) };
  }

  return {
    ask,
    noteDelayed: (provider, delayMs) => metrics.delayed(provider, delayMs),
    async waitForTurn(provider, signal) {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const answer = await ask(provider, 'present');
        if (answer.kind === 'allowed') return true;
        if (isFirst) metrics.delayed(provider, answer.afterMs);
        await sleep(clock, answer.afterMs, signal).catch(() => {});
      }
      return false;
    },
  };
}
