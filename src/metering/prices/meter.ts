// Prices what an attempt may use and what it used, and writes the latter down. The answer may go to the caller when
// `onWritten` is called: from then on the record survives the death of the process.

import type { Clock } from '../../kernel/clock.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import type { PriceBook } from './price-book.ts';
import type { WorstCase, WorstCaseRequest } from './worst-case.ts';

export type Meter = {
  /** False for a model whose price nobody knows: it must not be called, because nothing is free. */
  isPriced(provider: string, model: string): boolean;
  costNanos(provider: string, model: string, usage: Usage): number;
  /** The most a request can cost there. */
  worstNanos(provider: string, request: WorstCaseRequest): number;
  record(record: UsageRecord, onWritten: () => void): void;
  /** False while usage cannot be written down; then no call may be made. */
  isReady(): boolean;
};

export type MeterParts = {
  readonly journal: {
    append(record: UsageRecord, onWritten: () => void): void;
    isWritable(): boolean;
  };
  readonly prices: PriceBook;
  readonly worstCase: WorstCase;
  readonly clock: Clock;
  /** Told when a record is in the journal, and not before: the store is then soon given it. */
  readonly onRecorded: () => void;
};

export function createMeter({ journal, prices, worstCase, clock, onRecorded }: MeterParts): Meter {
  return {
    isPriced: (provider, model) => prices.isPriced(provider, model, clock.now()),
    costNanos: (provider, model, usage) => prices.costNanos(provider, model, usage, clock.now()),
    worstNanos(provider, request) {
      const answer = prices.worstCase(provider, request.model, worstCase(request), clock.now());
      // Unpriced models were refused before anybody asked for their worst case.
      return 'unknown' in answer ? Number.MAX_SAFE_INTEGER : answer.costNanos;
    },
    record(record, onWritten) {
      journal.append(record, () => {
        onRecorded();
        onWritten();
      });
    },
    isReady: () => journal.isWritable(),
  };
}
