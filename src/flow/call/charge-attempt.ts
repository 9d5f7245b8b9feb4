// Decides the usage that an attempt is charged for, by how it ended:
//
//   the provider reported usage            that usage
//   a complete answer without usage        an estimate of input and output
//   the caller left, or a clock ran out    the usage that the stream reports within a few seconds; else an estimate of the
//                                          input and of the streamed output, and for a unary call, which the provider
//                                          goes on with, at least the reservation
//   the connection broke                   the usage so far, else an estimate of what arrived
//   the provider failed before content     nothing
//
// Pure.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { estimateUsage } from '../../metering/usage/token-estimate.ts';
import type { Attempt } from '../../upstream/attempt/attempt.ts';
import type { LeftOutcome } from '../../upstream/attempt/leave-attempt.ts';
import type { CallPlan } from './plan-call.ts';
import type { SentAttempt } from './settle-attempt.ts';

export type ChargedUsage = {
  readonly usage: Usage;
  readonly isEstimated: boolean;
  /** The least that is charged, in nano-dollars. */
  readonly leastNanos?: number;
};

type Plan = Pick<CallPlan, 'body' | 'charge' | 'isStream'>;
type Answered = Pick<Attempt, 'streamUsage' | 'streamedBytes' | 'receivedBytes'>;

const NOTHING: ChargedUsage = Object.freeze({ usage: NO_USAGE, isEstimated: false });

/** A complete answer; `outputBytes` is the size of its content, for an estimate. */
export function chargeAnswer(
  plan: Plan,
  reported: Usage | undefined,
  outputBytes: number,
): ChargedUsage {
  if (plan.charge === 'nothing') return NOTHING;
  const isPartial = plan.isStream && reported?.outputTokens === 0 && outputBytes > 0;
  if (reported && !isPartial) return { usage: reported, isEstimated: false };
  return estimated(plan, reported, plan.charge === 'input' ? 0 : outputBytes);
}

/** A failure that the provider or the connection caused. */
export function chargeFailure(
  plan: Plan,
  attempt: Answered,
  { code }: SpillwayError,
  hasContent: boolean,
): ChargedUsage {
  const isCut = code === 'NETWORK_TIMEOUT';
  const reported = attempt.streamUsage();
  if (hasContent || (isCut && reported)) return estimated(plan, reported, attempt.streamedBytes());
  const received = attempt.receivedBytes();
  return isCut && received > 0 ? estimated(plan, undefined, received) : NOTHING;
}

/** The gateway stopped waiting: the caller left, or a clock ran out. */
export function chargeLeft(
  plan: Plan,
  attempt: Answered,
  { reservedNanos }: Pick<SentAttempt, 'reservedNanos'>,
  outcome: LeftOutcome,
): ChargedUsage {
  if (plan.charge === 'nothing' || outcome.kind === 'refused') return NOTHING;
  if (outcome.kind === 'reported') return { usage: outcome.usage, isEstimated: false };
  if (plan.isStream) return estimated(plan, attempt.streamUsage(), attempt.streamedBytes());
  return { ...estimated(plan, undefined, 0), leastNanos: reservedNanos };
}

function estimated(plan: Plan, known: Usage | undefined, outputBytes: number): ChargedUsage {
  if (plan.charge === 'nothing') return NOTHING;
  return { usage: estimateUsage(plan.body.length, outputBytes, known), isEstimated: true };
}
