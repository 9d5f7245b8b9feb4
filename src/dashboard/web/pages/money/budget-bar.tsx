// A budget as a bar: spent, then reserved, then what is left.

import type { OrganizationSpend } from '../../../api/money.ts';
import { moneyText, percentText } from '../../charts/figure-text.ts';
import { budgetShares } from './money-words.ts';

export function BudgetBar({ row }: { readonly row: OrganizationSpend }) {
  const { spent, reserved } = budgetShares(row);
  const text = `${moneyText(row.spentUsd)} of ${moneyText(row.monthlyBudgetUsd)} spent, ${moneyText(row.reservedUsd)} reserved`;
  return (
    <div class="budget" title={text}>
      <div
        class="budget-bar"
        role="meter"
        aria-label={`Budget of ${row.name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(spent * 100)}
        aria-valuetext={text}
      >
        <div class={`budget-spent budget-${row.status}`} style={{ width: `${spent * 100}%` }} />
        <div class="budget-reserved" style={{ width: `${reserved * 100}%` }} />
      </div>
      <span class="budget-text figure">
        {percentText(row.usedRatio ?? 0)} of {moneyText(row.monthlyBudgetUsd)}
      </span>
    </div>
  );
}
