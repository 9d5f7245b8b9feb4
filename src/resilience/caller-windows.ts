// The calls of each organisation in a circuit's window. Failures open the circuit for all if at least two organisations
// failed or only one called, else for the failing organisation. An organisation has failed if its failures are at least
// the rules' fraction of its own calls: a single failure among the successes of a second organisation must not let the
// failures of the first open the circuit for all. The number of organisations is bounded: at the cap the one known for
// the longest time is forgotten and counts from zero when it calls again.

import { type CallTotals, CallWindow } from './call-window.ts';
import type { BreakerRules } from './circuit-breaker.ts';

/** The number of organisations that called and that failed in the window, counted up to two. */
export type CallerSpread = { readonly calling: number; readonly failing: number };

/** Failures of one organisation among several say nothing about the calls of the others. */
export function opensForAll({ calling, failing }: CallerSpread): boolean {
  return failing >= 2 || calling <= 1;
}

const MAX_ORGANIZATIONS = 2000;
/** Coarser than a circuit's own window: there is one per organisation. */
const SLOTS = 12;
const ENOUGH = 2;

type Caller = { readonly window: CallWindow; calledAt: number };

export class CallerWindows {
  readonly #windowMs: number;
  readonly #ratio: number;
  readonly #callers = new Map<string, Caller>();

  constructor({ windowMs, ratio }: Pick<BreakerRules, 'windowMs' | 'ratio'>) {
    this.#windowMs = windowMs;
    this.#ratio = ratio;
  }

  /** Notes a call without a known outcome for the provider's health. */
  touch(organization: string, now: number): Caller {
    const caller = this.#callers.get(organization) ?? this.#admit(organization, now);
    caller.calledAt = now;
    return caller;
  }

  add(organization: string, isFailure: boolean, now: number): void {
    this.touch(organization, now).window.add(isFailure, now);
  }

  totals(organization: string, now: number): CallTotals {
    return this.#callers.get(organization)?.window.totals(now) ?? NO_CALLS;
  }

  /** Whether the organisation's calls in the window have failed. */
  isFailing(organization: string, now: number): boolean {
    return this.#isFailing(this.totals(organization, now));
  }

  spread(now: number): CallerSpread {
    let calling = 0;
    let failing = 0;
    for (const { window, calledAt } of this.#callers.values()) {
      if (calledAt <= now - this.#windowMs) continue;
      calling += 1;
      if (this.#isFailing(window.totals(now))) failing += 1;
      if (failing >= ENOUGH) break;
    }
    return { calling, failing };
  }

  forget(organization: string): void {
    this.#callers.delete(organization);
  }

  /**
   * Drops the counts but keeps the callers, so that the first organisation that fails afterwards does not count as the
   * only caller.
   */
  restart(): void {
    for (const { window } of this.#callers.values()) window.clear();
  }

  #isFailing({ calls, failures }: CallTotals): boolean {
    return failures > 0 && failures >= this.#ratio * calls;
  }

  #admit(organization: string, now: number): Caller {
    if (this.#callers.size >= MAX_ORGANIZATIONS) this.#makeSpace(now);
    const caller = { window: new CallWindow(this.#windowMs, SLOTS), calledAt: now };
    this.#callers.set(organization, caller);
    return caller;
  }

  #makeSpace(now: number): void {
    for (const [organization, { calledAt }] of this.#callers)
      if (calledAt <= now - this.#windowMs) this.#callers.delete(organization);
    if (this.#callers.size < MAX_ORGANIZATIONS) return;
    const [longestKnown] = this.#callers.keys();
    if (longestKnown !== undefined) this.#callers.delete(longestKnown);
  }
}

const NO_CALLS: CallTotals = Object.freeze({ calls: 0, failures: 0 });
