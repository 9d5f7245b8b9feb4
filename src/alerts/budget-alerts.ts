// Alerts about budgets: one per threshold, budget and month. A threshold below `firingPercent` is one message; from
// there on the alert fires until the budget is raised or its month is over. The id is derived from the budget and the
// threshold, so that the board accepts each alert once, no matter which server reads the crossing. Pure.

import { createHash } from 'node:crypto';
import { calendarMonth } from '../kernel/calendar/calendar-month.ts';
import type { Alert, BudgetOfAlert } from './alert.ts';
import { BUDGET_METRIC } from './alert-rules.ts';
import { startText } from './alert-text.ts';
import type { BudgetStandingNow, CrossedLevel } from './budget-levels.ts';

export type BudgetAlertRules = {
  readonly percents: readonly number[];
  readonly firingPercent: number;
};

export function budgetAlert(
  level: CrossedLevel,
  rules: BudgetAlertRules,
  serverId: string,
): Alert | undefined {
  const { percent, spentNanos, limitNanos } = level;
  if (!rules.percents.includes(percent) || !limitNanos) return undefined;
  const { organizationId, month, kind, scopeId } = level;
  const budget = { organizationId, month, kind, scopeId, percent };
  const facts = {
    name: 'budget-usage',
    subject: subjectOf(budget),
    value: spentNanos / limitNanos,
    threshold: percent / 100,
  } as const;
  return {
    ...facts,
    id: idOf(budget),
    metric: BUDGET_METRIC,
    severity: percent >= 100 ? 'critical' : 'warning',
    message: startText(facts),
    startedAt: level.createdAt,
    endedAt: percent < rules.firingPercent ? level.createdAt : undefined,
    serverId,
    budget,
  };
}

/** Whether the budget is below the threshold again, or its month is over. */
export function hasBudgetRecovered(
  { budget, spentNanos, limitNanos, timeZone }: BudgetStandingNow,
  now: number,
): boolean {
  if (calendarMonth(now, timeZone).number !== budget.month) return true;
  return !limitNanos || spentNanos < (limitNanos / 100) * budget.percent;
}

function subjectOf({ organizationId, month, kind, scopeId, percent }: BudgetOfAlert): string {
  const owner = kind === 'organization' ? organizationId : `${organizationId}, ${kind} ${scopeId}`;
  const year = Math.floor(month / 100);
  return `${owner}, ${year}-${String(month % 100).padStart(2, '0')}, ${percent} %`;
}

function idOf({ organizationId, month, kind, scopeId, percent }: BudgetOfAlert): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([organizationId, month, kind, scopeId, percent]));
  return `alt_${hash.digest('hex').slice(0, 32)}`;
}
