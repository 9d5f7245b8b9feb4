// Settles an attempt that was sent: prices and journals its usage, then settles its reservation, then calls `onSettled`. The
// caller gets its answer only after that, so that the journal contains every answered call.

import type { Span } from '../../../kernel/telemetry/tracer.ts';
import type { MeteredUsage, Usage } from '../../../kernel/usage.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { BreakerPass } from '../../../resilience/breaker-board.ts';
import type { PermitAsk } from '../../../resilience/rate-limiter.ts';
import type { Target } from '../../../routing/target.ts';
import { endAttemptSpan } from '../../telemetry/attempt-span.ts';
import type { CallOrder, CallParts } from '../call-order.ts';

export type SentAttempt = {
  /** The id of the attempt's usage record and of its reservation. */
  readonly id: string;
  readonly target: Target;
  /** 1 for the first attempt of an order. */
  readonly number: number;
  readonly pass: BreakerPass;
  /** `clock.monotonic()` when the attempt was cleared. */
  readonly sentAtMs: number;
  readonly permit: PermitAsk;
  /** The month of the budget that has the reservation. */
  readonly budgetMonth: number | undefined;
  /** The reserved amount: the maximum cost of the attempt. */
  readonly reservedNanos: number;
  /** The uses of the provider's tools that the reservation covers; undefined if the request bounds them or has none. */
  readonly maxToolCalls?: number | undefined;
  /** Set when the attempt is sent, where traces are exported. */
  span?: Span | undefined;
  /** Set at the first content of a stream. */
  firstContentMs?: number | undefined;
};

export type SettleParts = {
  readonly meter: Pick<CallParts['meter'], 'costNanos' | 'record'>;
  readonly ledger: Pick<CallParts['ledger'], 'settle'>;
  readonly limiter: Pick<CallParts['limiter'], 'settle'>;
  readonly clock: CallParts['clock'];
};

export type SettledOrder = Pick<CallOrder, 'id' | 'payer'> & {
  readonly plan: Pick<CallOrder['plan'], 'isStream'>;
};

/** `OK`, an error code, or `CLIENT_GONE`. */
export type AttemptStatus = string;

export type ChargedUsage = {
  readonly usage: MeteredUsage;
  readonly isEstimated: boolean;
  /** The minimum charge, in nanodollars, of a call that the provider finishes although its answer is not read. */
  readonly leastNanos?: number;
  /** The provider charges nothing, not even a price per request. */
  readonly isFree?: true;
};

export type AttemptEnding = ChargedUsage & { readonly status: AttemptStatus };

export function settleAttempt(
  parts: SettleParts,
  order: SettledOrder,
  sent: SentAttempt,
  ending: AttemptEnding,
  onSettled: (record: UsageRecord) => void,
): UsageRecord {
  const record = closeAttempt(parts, order, sent, ending);
  bookRecord(parts, record, onSettled);
  return record;
}

/** Journals the record, then settles its reservation. */
export function bookRecord(
  { meter, ledger }: Pick<SettleParts, 'meter' | 'ledger'>,
  record: UsageRecord,
  onSettled: (record: UsageRecord) => void,
): void {
  meter.record(record, () => {
    ledger.settle(record);
    onSettled(record);
  });
}

/** Settles the permit and prices the usage; the record is not booked yet. */
export function closeAttempt(
  { meter, limiter, clock }: SettleParts,
  order: SettledOrder,
  sent: SentAttempt,
  ending: AttemptEnding,
): UsageRecord {
  const { target, number, sentAtMs, permit, budgetMonth } = sent;
  const { id, payer, plan } = order;
  const { usage, status, isEstimated } = ending;
  // Field by field: object spread is several times slower here.
  const record: UsageRecord = {
    id: sent.id,
    requestId: id,
    attempt: number,
    organizationId: payer.organizationId,
    keyId: payer.keyId,
    userId: payer.userId,
    category: payer.category,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    cacheWrite1hTokens: usage.cacheWrite1hTokens,
    reasoningTokens: usage.reasoningTokens,
    provider: target.provider,
    model: target.model,
    costNanos: ending.isFree
      ? 0
      : Math.max(ending.leastNanos ?? 0, meter.costNanos(target.provider, target.model, usage)),
    latencyMs: Math.round(clock.monotonic() - sentAtMs),
    status,
    streamed: plan.isStream,
    estimated: isEstimated,
    createdAt: clock.now(),
    budgetMonth,
    firstContentMs: sent.firstContentMs,
  };
  limiter.settle(permit, countedTokens(usage));
  if (sent.span) endAttemptSpan(sent.span, record);
  return record;
}

/** Providers do not count cache reads against their rate limits, so ours do not either. */
function countedTokens(usage: Usage): number {
  const { inputTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = usage;
  return inputTokens + cacheWriteTokens + cacheWrite1hTokens + outputTokens;
}
