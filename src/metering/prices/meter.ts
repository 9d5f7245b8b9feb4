// Prices the worst case and the usage of an attempt, and journals the usage record. The caller may get its answer when
// `onWritten` is called: from then on the record survives the process.

import type { Clock } from '../../kernel/clock.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import type { PricedFeatures } from './feature-prices.ts';
import type { PriceBook } from './price-book.ts';
import type { WorstCase, WorstCaseRequest } from './worst-case.ts';

export type Meter = {
  /** False for a model without a price: it must not be called, because its cost could not be charged. */
  isPriced(provider: string, model: string): boolean;
  costNanos(provider: string, model: string, usage: MeteredUsage): number;
  /** The path of the first field that asks for a feature without a price; such a request must not be sent. */
  findUnpriced(provider: string, model: string, features: PricedFeatures): string | undefined;
  /** The maximum cost of a request at a provider. */
  worstNanos(provider: string, request: WorstCaseRequest): number;
  record(record: UsageRecord, onWritten: () => void): void;
  /** False while the journal cannot be written; then no attempt may be sent. */
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
  /** Called when a record is in the journal, and not before: it is then stored soon. */
  readonly onRecorded: () => void;
};

export function createMeter({ journal, prices, worstCase, clock, onRecorded }: MeterParts): Meter {
  return {
    isPriced: (provider, model) => prices.isPriced(provider, model, clock.now()),
    costNanos: (provider, model, usage) => prices.costNanos(provider, model, usage, clock.now()),
    findUnpriced: (provider, model, features) => prices.findUnpriced(provider, model, features),
    worstNanos(provider, request) {
      const answer = prices.worstCase(provider, request.model, worstCase(request), clock.now());
      // Requests for models without a price are refused before this.
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
