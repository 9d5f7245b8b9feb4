// Records a failed attempt: learns a provider limit or a refused credential from it, logs the failure and adds it to
// the request record for operators. Text is bounded and redacted first. Successful attempts leave no record.

import { readRawFailure } from '../../errors/raw-failure.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { requestTokensOf } from '../../upstream/attempt/request-facts.ts';
import type { CallOrder, CallParts, FailureRecorder } from './call-order.ts';
import type { SentAttempt } from './charge/settle-attempt.ts';
import { logFailedAttempt } from './log-call.ts';
import { learnLimit, takesTheRest } from './provider-limit.ts';

/** Without a recorder no record is kept. */
export type FailureParts = {
  readonly failures?: FailureRecorder | undefined;
  readonly clock: Clock;
};

export function recordFailedAttempt(
  parts: FailureParts & Pick<CallParts, 'limits' | 'credentials' | 'headroom' | 'serverId' | 'log'>,
  order: CallOrder,
  sent: SentAttempt,
  error: SpillwayError,
): void {
  const now = parts.clock.now();
  const requestId = order.recordedUnder?.id ?? order.id;
  const { stated, body } = order.plan;
  const teacher = {
    serverId: parts.serverId,
    requestId,
    isCountedApart: stated.isCountedApart,
    takesTheRest: () =>
      takesTheRest(parts.headroom.gaugesOf(sent.target), () => requestTokensOf(body)),
  };
  learnLimit(parts.limits, sent.target, error, teacher, now);
  parts.credentials.failed(sent.target, error, order.payer.organizationId);
  addToRecord(parts, order, sent, error);
  logFailedAttempt(parts.log, order.id, sent.target, error, now);
}

function addToRecord(
  { failures, clock }: FailureParts,
  order: Pick<CallOrder, 'id' | 'payer' | 'startedAtMs' | 'recordedUnder'>,
  { id, target }: Pick<SentAttempt, 'id' | 'target'>,
  error: SpillwayError,
): void {
  if (!failures) return;
  const { organizationId, keyId } = order.payer;
  const endedAt = clock.now();
  failures.records.failed(
    { organizationId, keyId, ...(order.recordedUnder ?? { id: order.id }) },
    {
      id,
      startedAt: endedAt - Math.round(clock.monotonic() - order.startedAtMs),
      endedAt,
      provider: target.provider,
      model: target.model,
      code: error.code,
      reason: failures.redact(error.message.slice(0, MAX_REASON_CHARACTERS)),
      raw: readRawFailure(error.cause, failures.redact),
    },
  );
}

const MAX_REASON_CHARACTERS = 1000;
