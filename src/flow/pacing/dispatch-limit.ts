// The dispatcher's own count of the jobs that it admits to each account of a provider: the prevention layer, separate from the
// workers' count of calls. A raw message over the limits of all accounts is given a due time and delayed; a caller's job
// waits on the store, in its fair order, and waits here only when it is the next one.

import { sleep } from '../../kernel/clock.ts';
import type { DispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { type AccountLimits, createAccountPacers } from './account-pacers.ts';
import type { PacerAnswer, PacerParts, PacerRequest } from './pacer.ts';

export type DispatchLimit = {
  /** A refused message gets a due time. A message that returns at its due time may wait a little longer in memory. */
  acquire(scope: DispatchScope, wait: DispatchWait): Promise<DispatchAnswer>;
  /** Takes a slot that is free now; gives no due time. */
  tryNow(scope: DispatchScope, wait: DispatchWait): Promise<DispatchAnswer>;
  /** True when a slot is taken, however long that takes; false when the signal is aborted first. */
  waitForSlot(scope: DispatchScope, signal: AbortSignal): Promise<boolean>;
  /** Counts a delayed message. Not called if another provider admits the message. */
  noteDelayed(provider: string, delayMs: number): void;
};

export type DispatchScope = {
  readonly provider: string;
  /** Whether the account may be called at all; absent: all may. */
  readonly isUsable?: ((account: string) => boolean) | undefined;
};

export type DispatchWait = Pick<PacerRequest, 'dueAt' | 'signal'>;

export type DispatchAnswer =
  | { readonly kind: 'allowed'; readonly giveBack: () => void }
  | Extract<PacerAnswer, { kind: 'later' | 'stay' }>;

export type DispatchLimitParts = PacerParts & {
  /** The dispatcher's limits of the accounts, by provider. */
  readonly accounts: ReadonlyMap<string, readonly AccountLimits[]>;
  readonly metrics: DispatchMetrics;
};

const MAX_LATE_WAIT_MS = 1000;
const UNLIMITED: DispatchAnswer = { kind: 'allowed', giveBack: () => {} };

export function createDispatchLimit(parts: DispatchLimitParts): DispatchLimit {
  const { limiter, metrics, clock } = parts;
  const askAccounts = createAccountPacers(parts, parts.accounts);

  async function ask(scope: DispatchScope, wait: PacerRequest): Promise<DispatchAnswer> {
    const { provider, isUsable } = scope;
    const asked = await askAccounts(provider, () => wait, isUsable);
    if (!asked) return UNLIMITED;
    const { answer } = asked;
    metrics.checked(provider, answer.kind);
    if (answer.kind !== 'allowed') return answer;
    const { permit } = answer;
    return permit ? { kind: 'allowed', giveBack: () => limiter.giveBack(permit.ask) } : UNLIMITED;
  }

  return {
    acquire: (scope, wait) =>
      ask(scope, { ...wait, patienceMs: wait.dueAt === undefined ? 0 : MAX_LATE_WAIT_MS }),
    tryNow: ask,
    async waitForSlot(scope, signal) {
      const { provider } = scope;
      const startedAtMs = clock.monotonic();
      while (!signal.aborted) {
        const answer = await ask(scope, { patienceMs: Number.POSITIVE_INFINITY, signal });
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
