// The thresholds of a budget are reported once each in a month. The store detects a crossed threshold in the transaction
// that posts the cost, so that only one server reports it.

import type { Log } from '../../kernel/log.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';

export type CrossedThreshold = {
  readonly organizationId: string;
  readonly kind: BudgetScopeKind;
  /** The key or the user; '' for the organisation as a whole. */
  readonly scopeId: string;
  readonly month: number;
  readonly percent: number;
  readonly limitNanos: number;
  readonly spentNanos: number;
};

/** Logs each crossed threshold, then passes it on. */
export function thresholdReporter(
  log: Log,
  onThreshold: (crossed: CrossedThreshold) => void = () => {},
): (thresholds: readonly CrossedThreshold[]) => void {
  return (thresholds) => {
    for (const crossed of thresholds) {
      logThreshold(log, crossed);
      onThreshold(crossed);
    }
  };
}

function logThreshold(log: Log, crossed: CrossedThreshold): void {
  const { organizationId, kind, scopeId, month, percent } = crossed;
  log.write({
    level: 'warn',
    type: 'capacity',
    message: `${percent} % of a monthly budget is spent`,
    metadata: {
      organizationId,
      budget: kind,
      ...(kind === 'key' ? { keyId: scopeId } : {}),
      ...(kind === 'user' ? { userId: scopeId } : {}),
      month,
      percent,
      limitUsd: nanosToUsd(crossed.limitNanos),
      spentUsd: nanosToUsd(crossed.spentNanos),
    },
  });
}
