// Measures the spent fraction of the budgets of organisations that make calls (flow/telemetry/budget-usage).

import type { Config } from '../../config/config.ts';
import { createBudgetUsage } from '../../flow/telemetry/budget-usage.ts';
import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { BudgetLedger } from '../../metering/budgets/budget-ledger.ts';
import type { Store } from '../store-ports.ts';

const INTERVAL_MS = 5000;

export type WatchBudgetsContext = {
  readonly store: Pick<Store, 'budgets'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

/** The same ledger, watched until the lifecycle closes. */
export function watchBudgets(
  config: Config,
  { store, metrics, clock, lifecycle }: WatchBudgetsContext,
  ledger: BudgetLedger,
): BudgetLedger {
  const hasOrganizationLabels = config.telemetry.organizationLabels;
  const usage = createBudgetUsage({ store: store.budgets, metrics, clock, hasOrganizationLabels });
  const measuring = every(clock, INTERVAL_MS, () => usage.measure());
  lifecycle.onClose('budget usage', () => measuring.close());
  return usage.watch(ledger);
}
