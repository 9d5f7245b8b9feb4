// One bucket of the retry budget, in this process. Deposits are only counted; the balance is computed when a token is taken.
// Time adds tokens only while requests are rare: otherwise the seconds of an outage alone would pay for retries.

import type { RetryBudgetRules } from './retry-budget.ts';

/** After heavy traffic, time adds nothing for at most this long. */
export const MAX_DEBT_SECONDS = 60;

export class RetryBucket {
  readonly #rules: RetryBudgetRules;
  #tokens: number;
  /** The tokens of time that requests have used in advance; never above 0. */
  #timeBalance = 0;
  #requests = 0;
  #settledAtMs: number;

  constructor(rules: RetryBudgetRules, nowMs: number) {
    this.#rules = rules;
    this.#tokens = rules.capacity;
    this.#settledAtMs = nowMs;
  }

  deposit(): void {
    this.#requests += 1;
  }

  take(nowMs: number): boolean {
    this.#settle(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #settle(nowMs: number): void {
    const { perRequest, perSecond, capacity } = this.#rules;
    const seconds = Math.max(0, nowMs - this.#settledAtMs) / 1000;
    const balance = this.#timeBalance + perSecond * seconds - this.#requests;
    const paid = perRequest * this.#requests + Math.max(0, balance);
    this.#tokens = Math.min(capacity, this.#tokens + paid);
    this.#timeBalance = Math.min(0, Math.max(-perSecond * MAX_DEBT_SECONDS, balance));
    this.#requests = 0;
    this.#settledAtMs = Math.max(nowMs, this.#settledAtMs);
  }
}
