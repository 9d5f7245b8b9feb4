// The spent fraction of the monthly budgets of organisations that make calls, as a gauge. A reservation notes its owner; the
// measurement reads the store for the noted organisations, a few at a time, and never for a request. Without labels for
// organisations the gauge has one value, the highest. While the store is unavailable the last values stay.

import { createMonthCache } from '../../kernel/calendar/calendar-month.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { BudgetStore } from '../../metering/budgets/budget-store.ts';

export type BudgetUsageParts = {
  readonly store: Pick<BudgetStore, 'standing'>;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether each organisation has its own value. */
  readonly hasOrganizationLabels: boolean;
};

export type BudgetUsage = {
  /** The same ledger, wrapped to note the owners of reservations. */
  watch(ledger: BudgetLedger): BudgetLedger;
  /** Reads the budgets of organisations noted since the last call, up to a bound. */
  measure(): Promise<void>;
};

const MAX_NOTED = 1000;
const MAX_READ = 50;
const MAX_KNOWN = 1000;
/** The cost of a call is posted after its reservation: the second reading includes it. */
const READS = 2;

type Known = { readonly month: number; readonly timeZone: string; readonly ratio: number };

export function createBudgetUsage(parts: BudgetUsageParts): BudgetUsage {
  const { store, metrics, clock, hasOrganizationLabels } = parts;
  const noted = new NotedOwners();
  const ratios = new SpentRatios(clock);
  const gauge = metrics.gauge(
    'ai.budget.usage',
    'Spent fraction of the monthly budget, 0 to 1: the highest of all organisations, or of each where labels are configured.',
    ['organization'],
  );
  metrics.onCollect(() => {
    const current = ratios.current();
    if (!hasOrganizationLabels) gauge.cell('').value = Math.max(0, ...current.values());
    else for (const [organizationId, ratio] of current) gauge.cell(organizationId).value = ratio;
  });

  async function read(owner: BudgetOwner): Promise<void> {
    const { organizationId, timeZone, organizationLimitNanos } = owner;
    const month = ratios.monthOf(timeZone);
    const account = { organizationId, kind: 'organization', scopeId: '', month } as const;
    const { postedNanos } = await store.standing(account);
    const ratio = organizationLimitNanos > 0 ? postedNanos / organizationLimitNanos : 0;
    ratios.set(organizationId, { month, timeZone, ratio });
  }

  return {
    watch: (ledger) => ({
      reserve(request, onDecision) {
        noted.add(request.owner);
        return ledger.reserve(request, onDecision);
      },
      release: (attempt) => ledger.release(attempt),
      settle: (record) => ledger.settle(record),
      status: (owner, scope, userId) => ledger.status(owner, scope, userId),
      close: () => ledger.close(),
    }),
    measure: () => noted.readNext(read),
  };
}

/** The owners of recent reservations: their budgets are read next; bounded. */
class NotedOwners {
  readonly #noted = new Map<string, { readonly owner: BudgetOwner; readsLeft: number }>();
  #last: BudgetOwner | undefined;

  add(owner: BudgetOwner): void {
    // Owners are created once per key: most reservations repeat the last one.
    if (owner === this.#last) return;
    this.#last = owner;
    if (this.#noted.size < MAX_NOTED)
      this.#noted.set(owner.organizationId, { owner, readsLeft: READS });
  }

  async readNext(read: (owner: BudgetOwner) => Promise<void>): Promise<void> {
    this.#last = undefined;
    for (const [organizationId, note] of [...this.#noted].slice(0, MAX_READ)) {
      await read(note.owner);
      note.readsLeft -= 1;
      this.#noted.delete(organizationId);
      if (note.readsLeft > 0) this.#noted.set(organizationId, note);
    }
  }
}

/** The last known ratio of each organisation, bounded; the organisation that was read first is dropped first. */
class SpentRatios {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, Known>();
  readonly #monthAt = createMonthCache();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  monthOf(timeZone: string): number {
    return this.#monthAt(this.#clock.now(), timeZone).number;
  }

  set(organizationId: string, known: Known): void {
    this.#known.delete(organizationId);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(organizationId, known);
  }

  /** A new month begins at zero. */
  current(): ReadonlyMap<string, number> {
    const ratios = new Map<string, number>();
    for (const [organizationId, { month, timeZone, ratio }] of this.#known)
      ratios.set(organizationId, month === this.monthOf(timeZone) ? ratio : 0);
    return ratios;
  }
}
