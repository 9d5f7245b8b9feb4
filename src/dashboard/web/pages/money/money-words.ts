// Sentences about budgets: how much is left, when it ends, and the share for the bar.

import type { OrganizationSpend } from '../../../api/money.ts';
import { DAY_MS, dayText, moneyText } from '../../charts/figure-text.ts';
import { clampFraction } from '../../charts/scale.ts';

/** "used up", "used up in 4 days", "lasts this month", "no budget". */
export function budgetForecastText(row: OrganizationSpend, nowMs: number): string {
  if (row.monthlyBudgetUsd <= 0) return 'no budget';
  if (row.spentUsd + row.reservedUsd >= row.monthlyBudgetUsd) {
    return `used up until ${dayText(row.resetAt)}`;
  }
  if (row.forecastExhaustedAt === null) return 'lasts this month';
  const days = (row.forecastExhaustedAt - nowMs) / DAY_MS;
  if (days < 1) return 'used up within a day';
  return `used up in ${Math.floor(days)} ${Math.floor(days) === 1 ? 'day' : 'days'}`;
}

/** Shares of the bar: spent and reserved, together at most the whole. */
export function budgetShares(row: OrganizationSpend): {
  readonly spent: number;
  readonly reserved: number;
} {
  if (row.monthlyBudgetUsd <= 0) return { spent: 0, reserved: 0 };
  const spent = clampFraction(row.spentUsd / row.monthlyBudgetUsd);
  return {
    spent,
    reserved: Math.min(1 - spent, clampFraction(row.reservedUsd / row.monthlyBudgetUsd)),
  };
}

export function leftText({ monthlyBudgetUsd, spentUsd, reservedUsd }: OrganizationSpend): string {
  return moneyText(Math.max(0, monthlyBudgetUsd - spentUsd - reservedUsd));
}

/** A dollar amount as typed; undefined if it is not one. Callers handle the empty text before. */
export function parseUsd(text: string): number | undefined {
  const value = Number(text.trim().replace(/^\$/, ''));
  return text.trim() !== '' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
