// The parts of a budget that are worth telling somebody about, once each in a month. The store finds out, in the
// transaction that spends past one, so that of several servers one tells.

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

export function logThreshold(log: Log, crossed: CrossedThreshold): void {
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
