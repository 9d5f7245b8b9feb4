// The dispatcher's own count of the jobs that it admits to each provider: the prevention layer, apart from the workers' count
// of calls. A raw message over the limit is given a due time and delayed; a caller's job waits on the store, in its fair
// order, and here only when it is the next one.

import { sleep } from '../../kernel/clock.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { DispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { Pacer, type PacerAnswer, type PacerParts, type PacerRequest } from './pacer.ts';

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

export type DispatchLimitParts = PacerParts & {
  readonly limits: ReadonlyMap<string, Limit>;
  readonly metrics: DispatchMetrics;
};

const MAX_LATE_WAIT_MS = 1000;
const UNLIMITED: DispatchAnswer = { kind: 'allowed', giveBack: () => {} };

export function createDispatchLimit(parts: DispatchLimitParts): DispatchLimit {
  const { limiter, metrics, clock } = parts;
  const pacers = new Map(
    [...parts.limits].map(([name, limit]) => [name, new Pacer(parts, [limit])]),
  );

  async function ask(provider: string, wait: PacerRequest): Promise<DispatchAnswer> {
    const answer = await pacers.get(provider)?.acquire(wait);
    if (!answer) return UNLIMITED;
    metrics.checked(provider, answer.kind);
    if (answer.kind !== 'allowed') return answer;
    const { permit } = answer;
    return permit ? { kind: 'allowed', giveBack: () => limiter.giveBack(permit.ask) } : UNLIMITED;
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
