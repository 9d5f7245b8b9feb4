// The calls of a circuit that Redis does not know of yet, and some of the organisations that made them: two within the
// window are enough for Redis to choose between the circuit of all organisations and an organisation's own circuit.

import type { CallHealth } from '../../../resilience/breaker-board.ts';
import type { CallTotals } from '../../../resilience/call-window.ts';
import { AnnouncedCallers } from './announced-callers.ts';
import type { CountedCalls } from './circuit-store.ts';

/** Organisations sent with one batch. */
const MAX_CALLERS = 8;

export class UnsentCalls {
  readonly #calling = new Set<string>();
  readonly #failing = new Set<string>();
  readonly #announced: AnnouncedCallers;
  #calls = 0;
  #failures = 0;

  constructor(windowMs: number) {
    this.#announced = new AnnouncedCallers(windowMs / 2);
  }

  get hasFailures(): boolean {
    return this.#failures > 0;
  }

  /**
   * Whether the call must be sent to Redis at once: it failed, or it is the first of its organisation. `isFailing`:
   * enough calls of the organisation failed to count against the circuit of all organisations.
   */
  add(
    health: CallHealth,
    organization: string | undefined,
    isFailing: boolean,
    now: number,
  ): boolean {
    if (health === 'success' || health === 'failure') this.#calls += 1;
    if (health === 'failure') this.#failures += 1;
    if (organization !== undefined) this.#note(organization, isFailing);
    const isNews = organization !== undefined && this.#announced.isNews(organization, now);
    return isNews || health === 'failure';
  }

  addAll({ calls, failures }: CallTotals): void {
    this.#calls += calls;
    this.#failures += failures;
  }

  /** `isSucceeding`: the organisation's calls at this server succeed, but for a few. */
  take(isSucceeding: (organization: string) => boolean): CountedCalls {
    const [calling, failing] = [[...this.#calling], [...this.#failing]];
    const succeeding = calling.filter((each) => !this.#failing.has(each) && isSucceeding(each));
    const counted = { calls: this.#calls, failures: this.#failures, calling, failing, succeeding };
    this.clear();
    return counted;
  }

  clear(): void {
    this.#calls = 0;
    this.#failures = 0;
    this.#calling.clear();
    this.#failing.clear();
  }

  #note(organization: string, isFailing: boolean): void {
    const isAdded = isFailing && this.#failing.size < MAX_CALLERS;
    if (isAdded) this.#failing.add(organization);
    if (isAdded || this.#calling.size < MAX_CALLERS) this.#calling.add(organization);
  }
}
