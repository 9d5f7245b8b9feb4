// Prices what an attempt used and writes it down. The answer may go to the caller when `onWritten` is
// called: from then on the record survives the death of the process.

import type { Clock } from '../kernel/clock.ts';
import type { Usage } from '../kernel/usage.ts';
import type { Journal } from './journal.ts';
import type { PriceBook } from './price-book.ts';
import type { UsageRecord } from './usage-record.ts';

export type Meter = {
  /** False for a model whose price nobody knows: it must not be called, because nothing is free. */
  isPriced(provider: string, model: string): boolean;
  costNanos(provider: string, model: string, usage: Usage): number;
  record(record: UsageRecord, onWritten: () => void): void;
  /** False while usage cannot be written down; then no call may be made. */
  isReady(): boolean;
};

export type MeterParts = {
  readonly journal: Journal<UsageRecord>;
  readonly prices: PriceBook;
  readonly clock: Clock;
  /** Told after each record, so that the store gets it soon. */
  readonly onRecorded: () => void;
};

export function createMeter({ journal, prices, clock, onRecorded }: MeterParts): Meter {
  return {
    isPriced: (provider, model) => prices.isPriced(provider, model, clock.now()),
    costNanos: (provider, model, usage) => prices.costNanos(provider, model, usage, clock.now()),
    record(record, onWritten) {
      journal.append(record, onWritten);
      onRecorded();
    },
    isReady: () => journal.isWritable(),
  };
}
