// Provider credentials that the provider refuses. A refused key is an operator's problem that no repeat mends, so for a
// while calls with it fail without reaching the provider; then one call is the probe, and the others still fail until its
// outcome. A 401 refuses the key; any other refusal (a 403) may concern one model, so it is remembered for that model.
// Each process learns for itself: its configuration holds the key, and a restart with another key begins anew.

import type { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';

export type CredentialUse = {
  readonly provider: string;
  readonly account: string;
  readonly model: string;
};

/** Callers choose model names, so the memory is bounded. */
const MAX_REMEMBERED = 1000;

export class RefusedCredentials {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #refusedMs: number;
  /** Until when calls fail, by account, and by account and model. */
  readonly #untilMs = new Map<string, number>();

  /** With `refusedMs` 0 nothing is remembered. */
  constructor(clock: Pick<Clock, 'monotonic'>, refusedMs: number) {
    this.#clock = clock;
    this.#refusedMs = refusedMs;
  }

  /** Whether the call must fail. When the time is over the first call passes as the probe. */
  refuses(use: CredentialUse): boolean {
    if (this.#untilMs.size === 0) return false;
    return this.#isRefused(accountOf(use)) || this.#isRefused(modelOf(use));
  }

  /** Learns from typed refusals only: the sentence of any other failure may quote the caller. */
  failed(use: CredentialUse, { code, lesson, cause }: SpillwayError): void {
    if (this.#refusedMs === 0 || code !== 'AUTH_FAILED' || lesson?.code !== 'AUTH_FAILED') return;
    const status = statusOf(cause);
    if (status !== 401 && status !== 403) return;
    if (this.#untilMs.size >= MAX_REMEMBERED) this.#untilMs.clear();
    const key = status === 401 ? accountOf(use) : modelOf(use);
    this.#untilMs.set(key, this.#clock.monotonic() + this.#refusedMs);
  }

  /** The provider answered a call with this credential. */
  accepted(use: CredentialUse): void {
    if (this.#untilMs.size === 0) return;
    this.#untilMs.delete(accountOf(use));
    this.#untilMs.delete(modelOf(use));
  }

  /** The accounts whose key is refused for every model. */
  refusedAccounts(): readonly Pick<CredentialUse, 'provider' | 'account'>[] {
    return [...this.#untilMs.keys()].flatMap((key) => {
      const [provider = '', account = '', model] = key.split('\n');
      return model === undefined ? [{ provider, account }] : [];
    });
  }

  #isRefused(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    const now = this.#clock.monotonic();
    if (now < untilMs) return true;
    this.#untilMs.set(key, now + this.#refusedMs);
    return false;
  }
}

function accountOf({ provider, account }: CredentialUse): string {
  return `${provider}\n${account}`;
}

function modelOf(use: CredentialUse): string {
  return `${accountOf(use)}\n${use.model}`;
}

function statusOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'status' in cause
    ? cause.status
    : undefined;
}
