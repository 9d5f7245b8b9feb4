// Spending that is settled here and not in the store yet: what has to be added to the store's sum of a budget when it
// is read for the first time. The journal keeps the order, so it is a line: what was settled first is stored first.

import type { AccountName } from '../budgets/budget-account.ts';
import { LOST, type UsageRecord } from './usage-record.ts';

type Spending = { readonly record: UsageRecord; readonly month: number; readonly nanos: number };

/** So many may lie before the line's head before they are cut off. */
const CUT_AFTER = 4096;

export class UnstoredUsage {
  #line: Spending[] = [];
  #head = 0;

  add(record: UsageRecord, month: number, nanos: number): void {
    this.#line.push({ record, month, nanos });
  }

  /** Records of a former life were never in the line and are passed over. */
  stored(records: readonly UsageRecord[]): void {
    for (const record of records) {
      const first = this.#line[this.#head];
      if (!first) break;
      if (isSame(first.record, record)) this.#head += 1;
      else this.#remove(record);
    }
    if (this.#head < this.#line.length && this.#head < CUT_AFTER) return;
    this.#line = this.#line.slice(this.#head);
    this.#head = 0;
  }

  sumOf({ organizationId, kind, scopeId, month }: AccountName): number {
    let sum = 0;
    for (const { record, month: spentIn, nanos } of this.#line.slice(this.#head)) {
      if (spentIn !== month || record.organizationId !== organizationId) continue;
      if (kind === 'key' && record.keyId !== scopeId) continue;
      if (kind === 'user' && record.userId !== scopeId) continue;
      sum += nanos;
    }
    return sum;
  }

  #remove(record: UsageRecord): void {
    const at = this.#line.findIndex((each, place) => {
      return place >= this.#head && isSame(each.record, record);
    });
    if (at >= 0) this.#line.splice(at, 1);
  }
}

/** An attempt given up as lost may still be heard of: then there are two records of one id. */
function isSame(one: UsageRecord, other: UsageRecord): boolean {
  return one.id === other.id && (one.status === LOST) === (other.status === LOST);
}
