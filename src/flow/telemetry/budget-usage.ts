// The spent fraction of the monthly budgets of organisations that make calls, as a gauge. A reservation notes its owner; the
// measurement reads the store for the noted organisations, a few at a time, and never for a request. Without labels for
// organisations the gauge has one value, the highest. While the store is unavailable the last values stay.

import { createMonthCache } from '../../kernel/calendar-month.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import type { BudgetStore } from '../../metering/budgets/budget-store.ts';

export type BudgetUsageParts = {
  readonly store: Pick<BudgetStore, 'standing'>;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether each organisation has a value of its own. */
  readonly hasOrganizationLabels: boolean;
};

export type BudgetUsage = {
  /** The same ledger; it notes the owners of reservations. */
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
  const gauge = metrics.gauge(
    'ai.budget.usage',
    'Spent fraction of the monthly budget, 0 to 1: the highest of all organisations, or of each where labels are configured.',
    ['organization'],
  );
  const noted = new Map<string, { readonly owner: BudgetOwner; readsLeft: number }>();
  const known = new Map<string, Known>();
  const monthAt = createMonthCache();
  let lastOwner: BudgetOwner | undefined;

  function monthOf(timeZone: string): number {
    return monthAt(clock.now(), timeZone).number;
  }

  /** A new month begins with nothing spent. */
  function ratioOf({ month, timeZone, ratio }: Known): number {
    return month === monthOf(timeZone) ? ratio : 0;
  }

  metrics.onCollect(() => {
    let highest = 0;
    for (const [organizationId, each] of known) {
      const ratio = ratioOf(each);
      highest = Math.max(highest, ratio);
      if (hasOrganizationLabels) gauge.cell(organizationId).value = ratio;
    }
    if (!hasOrganizationLabels) gauge.cell('').value = highest;
  });

  async function read(owner: BudgetOwner): Promise<void> {
    const { organizationId, timeZone, organizationLimitNanos } = owner;
    const month = monthOf(timeZone);
    const account = { organizationId, kind: 'organization', scopeId: '', month } as const;
    const { postedNanos } = await store.standing(account);
    known.delete(organizationId);
    const [oldest] = known.keys();
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    const ratio = organizationLimitNanos > 0 ? postedNanos / organizationLimitNanos : 0;
    known.set(organizationId, { month, timeZone, ratio });
  }

  return {
    watch: (ledger) => ({
      reserve(request, onDecision) {
        const { owner } = request;
        // Owners are created once per key: most reservations repeat the last one.
        if (owner !== lastOwner) {
          lastOwner = owner;
          if (noted.size < MAX_NOTED) noted.set(owner.organizationId, { owner, readsLeft: READS });
        }
        return ledger.reserve(request, onDecision);
      },
      release: (attempt) => ledger.release(attempt),
      settle: (record) => ledger.settle(record),
      status: (owner, scope, userId) => ledger.status(owner, scope, userId),
      close: () => ledger.close(),
    }),
    async measure() {
      lastOwner = undefined;
      for (const [organizationId, note] of [...noted].slice(0, MAX_READ)) {
        await read(note.owner);
        note.readsLeft -= 1;
        noted.delete(organizationId);
        if (note.readsLeft > 0) noted.set(organizationId, note);
      }
    },
  };
}
