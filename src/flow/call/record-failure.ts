// Writes down what became of an attempt that failed, for operators. Only failures come here; a request that goes well
// costs nothing. What is written is bounded and redacted before it is kept.

import { readRawFailure } from '../../errors/raw-failure.ts';
import type { Redact } from '../../errors/redact.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { usageRecordId } from '../../metering/usage/usage-record.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import type { CallOrder } from './call-order.ts';
import type { SentAttempt } from './settle-attempt.ts';

export type FailureBook = { readonly records: RequestRecords; readonly redact: Redact };

/** What a flow has at hand; without a book nothing is written down. */
export type FailureParts = { readonly failures?: FailureBook | undefined; readonly clock: Clock };

export function recordFailedAttempt(
  { failures, clock }: FailureParts,
  order: Pick<CallOrder, 'id' | 'payer' | 'startedAtMs' | 'recordedUnder'>,
  { target, number }: Pick<SentAttempt, 'target' | 'number'>,
  error: SpillwayError,
): void {
  if (!failures) return;
  const { organizationId, keyId } = order.payer;
  const endedAt = clock.now();
  failures.records.failed(
    { organizationId, keyId, ...(order.recordedUnder ?? { id: order.id }) },
    {
      id: usageRecordId(order.id, number),
      startedAt: endedAt - Math.round(clock.monotonic() - order.startedAtMs),
      endedAt,
      provider: target.provider,
      model: target.model,
      code: error.code,
      reason: failures.redact(error.message.slice(0, MAX_REASON)),
      raw: readRawFailure(error.cause, failures.redact),
    },
  );
}

const MAX_REASON = 1000;
