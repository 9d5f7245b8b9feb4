// Spending that is settled here and not in the store yet: what has to be added to the store's sum of a budget when it
// is read for the first time. Emptied as the journal is drained.

import type { AccountName } from './budget-account.ts';
import { LOST, type UsageRecord } from './usage-record.ts';

export class UnstoredUsage {
  readonly #spendings = new Map<string, { record: UsageRecord; month: number; nanos: number }>();

  add(record: UsageRecord, month: number, nanos: number): void {
    this.#spendings.set(keyOf(record), { record, month, nanos });
  }

  stored(records: readonly UsageRecord[]): void {
    for (const record of records) this.#spendings.delete(keyOf(record));
  }

  sumOf({ organizationId, kind, scopeId, month }: AccountName): number {
    let sum = 0;
    for (const { record, month: spentIn, nanos } of this.#spendings.values()) {
      if (spentIn !== month || record.organizationId !== organizationId) continue;
      if (kind === 'key' && record.keyId !== scopeId) continue;
      if (kind === 'user' && record.userId !== scopeId) continue;
      sum += nanos;
    }
    return sum;
  }
}

/** An attempt given up as lost may still be heard of: then there are two records of one id. */
function keyOf({ id, status }: UsageRecord): string {
  return status === LOST ? `${id}!` : id;
}
