// How a shared budget stands, as its owner is told: what the store has, once all that was used here has reached it. A
// store that is away rejects.

import type { CalendarMonth } from '../../kernel/calendar-month.ts';
import { limitOf } from './budget-charges.ts';
import { forecastExhaustedAt, PACE_MS } from './budget-forecast.ts';
import type { BudgetOwner, BudgetScopeKind, BudgetStatus } from './budget-ledger.ts';
import type { SharedBudgetStore } from './shared-budget-store.ts';

export type StatusQuestion = {
  readonly owner: BudgetOwner;
  readonly scope: BudgetScopeKind;
  readonly userId: string | undefined;
};

/** False when the owner has no such budget. */
export function hasBudget({ owner, scope, userId }: StatusQuestion): boolean {
  return limitOf(owner, scope) !== undefined && (scope !== 'user' || userId !== undefined);
}

export async function sharedStatus(
  store: Pick<SharedBudgetStore, 'standing' | 'spentSince'>,
  { owner, scope, userId }: StatusQuestion,
  month: CalendarMonth,
  now: number,
): Promise<BudgetStatus> {
  const limitNanos = limitOf(owner, scope) ?? 0;
  const scopeId = scope === 'organization' ? '' : scope === 'key' ? owner.keyId : (userId ?? '');
  const { organizationId } = owner;
  const account = { organizationId, kind: scope, scopeId, month: month.number };
  const [standing, recent] = await Promise.all([
    store.standing(account),
    store.spentSince(account, now - PACE_MS),
  ]);
  const { postedNanos: spentNanos, reservedNanos } = standing;
  const resetAt = month.endsAt;
  const exhaustedAt = forecastExhaustedAt(limitNanos - spentNanos, recent, now, resetAt);
  return { limitNanos, spentNanos, reservedNanos, resetAt, forecastExhaustedAt: exhaustedAt };
}
