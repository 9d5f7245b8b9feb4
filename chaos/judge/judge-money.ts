// Checks that sums of money agree with their records, and finds the calls that cost something. Pure.

import type { Call } from '../installation/provider.ts';
import type { StoredMoney } from '../installation/store-view.ts';

/** A provider charges for complete answers and for answers cut by the caller's death. */
export function isBillable({ outcome }: Call): boolean {
  return outcome === 'ok' || outcome === 'aborted_by_client';
}

/** The sums that do not agree, in words. */
export function disagreements(money: StoredMoney): string[] {
  const { records, rolledUp, costNanos, postedNanos, reservedNanos, spokenForNanos } = money;
  const found: string[] = [];
  if (rolledUp !== records) found.push(`${records} records but ${rolledUp} in the sums`);
  if (costNanos !== postedNanos) found.push(`${costNanos} used but ${postedNanos} posted`);
  if (reservedNanos !== spokenForNanos)
    found.push(`${reservedNanos} reserved but ${spokenForNanos} spoken for`);
  return found;
}
