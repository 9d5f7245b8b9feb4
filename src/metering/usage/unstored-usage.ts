// Costs that are settled in this process and not stored yet. They are added to the stored amount of a budget when it is
// loaded. A queue, because the journal keeps the order: the cost that was settled first is stored first.

import type { AccountName } from '../budgets/budget-account.ts';
import { LOST, type UsageRecord } from './usage-record.ts';

type Spending = { readonly record: UsageRecord; readonly month: number; readonly nanos: number };

/** The queue is shortened when this many entries lie before its head. */
const MAX_DONE = 4096;

export class UnstoredUsage {
  #queue: Spending[] = [];
  #head = 0;

  add(record: UsageRecord, month: number, nanos: number): void {
    this.#queue.push({ record, month, nanos });
  }

  /** Records of the previous process were never in the queue and are ignored. */
  stored(records: readonly UsageRecord[]): void {
    for (const record of records) {
      const first = this.#queue[this.#head];
      if (!first) break;
      if (isSame(first.record, record)) this.#head += 1;
      else this.#remove(record);
    }
    if (this.#head < this.#queue.length && this.#head < MAX_DONE) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  sumOf({ organizationId, kind, scopeId, month }: AccountName): number {
    let sum = 0;
    for (const { record, month: spentIn, nanos } of this.#queue.slice(this.#head)) {
      if (spentIn !== month || record.organizationId !== organizationId) continue;
      if (kind === 'key' && record.keyId !== scopeId) continue;
      if (kind === 'user' && record.userId !== scopeId) continue;
      sum += nanos;
    }
    return sum;
  }

  #remove(record: UsageRecord): void {
    const at = this.#queue.findIndex((each, place) => {
      return place >= this.#head && isSame(each.record, record);
    });
    if (at >= 0) this.#queue.splice(at, 1);
  }
}

/** An attempt that was settled as an estimate may still get its own record: then there are two records of one id. */
function isSame(one: UsageRecord, other: UsageRecord): boolean {
  return one.id === other.id && (one.status === LOST) === (other.status === LOST);
}
