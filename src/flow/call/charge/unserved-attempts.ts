// The attempts of a call that a clock or a broken connection ended before their first content; their cost is therefore an
// estimate. Their charge waits for the end of the call:
//
//   another attempt serves the call    the caller pays for that one only; the record of the other one has its estimated tokens
//                                      and no cost, and the cost is counted as unbilled for the operator
//   the call fails, or its caller left  the estimate is charged: the provider has worked, and is paid
//
// Until then the budget's reservation stays, so that a process that dies leaves an attempt that is settled at its expiry.

import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { TargetLoad } from '../../../routing/target-load.ts';
import type { CallParts } from '../call-order.ts';
import {
  type AttemptEnding,
  bookRecord,
  closeAttempt,
  type SentAttempt,
  type SettledOrder,
  type SettleParts,
} from './settle-attempt.ts';

type UnservedParts = SettleParts & {
  readonly load?: Pick<TargetLoad, 'ended'> | undefined;
  readonly metrics: Pick<CallParts['metrics'], 'unbilled'>;
};

export class UnservedAttempts {
  readonly #parts: UnservedParts;
  readonly #order: SettledOrder;
  #records: UsageRecord[] = [];

  constructor(parts: UnservedParts, order: SettledOrder) {
    this.#parts = parts;
    this.#order = order;
  }

  /** The attempt has ended; its record is returned with the cost that is charged if no attempt serves the call. */
  add(sent: SentAttempt, ending: AttemptEnding): UsageRecord {
    this.#parts.load?.ended(sent.target);
    const record = closeAttempt(this.#parts, this.#order, sent, ending);
    this.#records.push(record);
    return record;
  }

  /** Another attempt serves the call. False if there is no attempt to waive. */
  waive(): boolean {
    const records = this.#take();
    for (const record of records) {
      this.#parts.metrics.unbilled(record.provider, record.costNanos);
      bookRecord(this.#parts, { ...record, costNanos: 0 }, () => undefined);
    }
    return records.length > 0;
  }

  /** No attempt serves the call. `onSettled` runs when every record is journalled. */
  charge(onSettled: () => void): void {
    const records = this.#take();
    let unwritten = records.length;
    if (unwritten === 0) return onSettled();
    for (const record of records)
      bookRecord(this.#parts, record, () => {
        unwritten -= 1;
        if (unwritten === 0) onSettled();
      });
  }

  #take(): readonly UsageRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}
