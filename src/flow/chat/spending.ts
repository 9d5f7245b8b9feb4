// The sum of the usage and cost of a chat request's calls: every attempt that this server records, failed ones
// included. Of a call that another server served only the answer is known.

import { nanosToUsd, usdToNanos } from '../../kernel/money.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import { readUsage } from '../../upstream/attempt/read-usage.ts';
import type { ChatUsage } from './chat-request.ts';
import type { OwnAnswer } from './own-call.ts';

export class Spending {
  readonly #served = new Set<string>();
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #cacheWriteTokens = 0;
  #reasoningTokens = 0;
  #costNanos = 0;

  /** The meter, wrapped so that its records are counted here too. */
  counting(meter: Meter): Meter {
    return {
      isPriced: (provider, model) => meter.isPriced(provider, model),
      costNanos: (provider, model, usage) => meter.costNanos(provider, model, usage),
      findUnpriced: (provider, model, features) => meter.findUnpriced(provider, model, features),
      worstNanos: (provider, request) => meter.worstNanos(provider, request),
      isReady: () => meter.isReady(),
      record: (record, onWritten) => {
        this.#add(record);
        meter.record(record, onWritten);
      },
    };
  }

  /** Counts an answer if another server recorded its attempts. */
  addAnswer(requestId: string, format: ProviderFormat, { body, headers }: OwnAnswer): void {
    if (this.#served.has(requestId)) return;
    const usage = readUsage(format, body);
    if (usage) this.#addTokens(usage);
    this.#costNanos += usdToNanos(Number(headers.get('x-spillway-cost-usd') ?? 0));
  }

  usage(): ChatUsage {
    return {
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadTokens: this.#cacheReadTokens,
      cacheWriteTokens: this.#cacheWriteTokens,
      reasoningTokens: this.#reasoningTokens,
    };
  }

  costUsd(): number {
    return nanosToUsd(this.#costNanos);
  }

  #add(record: UsageRecord): void {
    if (record.status === 'OK') this.#served.add(record.requestId);
    this.#addTokens(record);
    this.#costNanos += record.costNanos;
  }

  #addTokens(usage: Usage): void {
    this.#inputTokens += usage.inputTokens;
    this.#outputTokens += usage.outputTokens;
    this.#cacheReadTokens += usage.cacheReadTokens;
    this.#cacheWriteTokens += usage.cacheWriteTokens + usage.cacheWrite1hTokens;
    this.#reasoningTokens += usage.reasoningTokens;
  }
}
