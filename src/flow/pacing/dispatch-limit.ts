// The dispatcher's own count of the jobs that it admits to each provider: the prevention layer, apart from the workers' count
// of calls. A raw message over the limit is given a due time and delayed; a caller's job waits on the store, in its fair
// order, and here only when it is the next one.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import type { DispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { Pacer, type PacerAnswer, type PacerRequest } from './pacer.ts';

export type DispatchLimit = {
  /** A refused message gets a due time. A message that returns at its due time may wait a little longer in memory. */
  acquire(provider: string, wait: DispatchWait): Promise<DispatchAnswer>;
  /** Takes a slot that is free now; gives no due time. */
  tryNow(provider: string, wait: DispatchWait): Promise<DispatchAnswer>;
  /** True when a slot is taken, however long that takes; false when the signal is aborted first. */
  waitForSlot(provider: string, signal: AbortSignal): Promise<boolean>;
  /** Counts a delayed message. Not called if another provider admits the message. */
  noteDelayed(provider: string, delayMs: number): void;
};

export type DispatchWait = Pick<PacerRequest, 'dueAt' | 'signal'>;

export type DispatchAnswer =
  | { readonly kind: 'allowed'; readonly giveBack: () => void }
  | Extract<PacerAnswer, { kind: 'later' | 'stay' }>;

export type DispatchLimitParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly limits: ReadonlyMap<string, Limit>;
  readonly metrics: DispatchMetrics;
  readonly clock: Clock;
  readonly newId: NewId;
};

const MAX_LATE_WAIT_MS = 1000;
const UNLIMITED: DispatchAnswer = { kind: 'allowed', giveBack: () => {} };

export function createDispatchLimit(parts: DispatchLimitParts): DispatchLimit {
  const { limiter, metrics, clock, newId } = parts;
  const pacers = new Map(
    [...parts.limits].map(([name, limit]) => [name, new Pacer(parts, [limit])]),
  );

  async function ask(provider: string, wait: Omit<PacerRequest, 'id'>): Promise<DispatchAnswer> {
    const answer = await pacers.get(provider)?.acquire({ id: newId('att'), ...wait });
    if (answer) metrics.checked(provider, answer.kind);
    // A limit of at least one admits one message.
    if (!answer || answer.kind === 'never') return UNLIMITED;
    if (answer.kind !== 'allowed') return answer;
    return { kind: 'allowed', giveBack: () => limiter.giveBack(answer.permit.ask) };
  }

  return {
    acquire: (provider, wait) =>
      ask(provider, { ...wait, patienceMs: wait.dueAt === undefined ? 0 : MAX_LATE_WAIT_MS }),
    tryNow: ask,
    async waitForSlot(provider, signal) {
      const startedAtMs = clock.monotonic();
      while (!signal.aborted) {
        const answer = await ask(provider, { patienceMs: Number.POSITIVE_INFINITY, signal });
        const waitedMs = clock.monotonic() - startedAtMs;
        if (answer.kind === 'allowed' && waitedMs >= 1) metrics.delayed(provider, waitedMs);
        if (answer.kind === 'allowed') return true;
        await sleep(clock, answer.afterMs, signal).catch(() => {});
      }
      return false;
    },
    noteDelayed: (provider, delayMs) => metrics.delayed(provider, delayMs),
  };
}
