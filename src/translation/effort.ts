// Maps levels of reasoning onto budgets of tokens and back, for formats that have only levels or only budgets. The budgets are the
// middle of what vendors document for their levels; the round trip returns the same level.

import { EFFORTS, type Effort } from './neutral-request.ts';

const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

export function budgetOf(effort: Effort): number {
  return BUDGETS[effort];
}

/** The level with the largest budget that the given one covers. */
export function effortOf(budgetTokens: number): Effort {
  return EFFORTS.findLast((effort) => BUDGETS[effort] <= budgetTokens) ?? 'none';
}
