// Reports the attempts of a call to metrics and traces: a change of the target, the time to the first content of a stream
// (also for the usage record), and the start of a span, which settling the attempt ends.

import type { Target } from '../../routing/target.ts';
import type { CallOrder, CallParts } from '../call/call-order.ts';
import type { SentAttempt } from '../call/charge/settle-attempt.ts';
import { startAttemptSpan } from './attempt-span.ts';

type Parts = Pick<CallParts, 'metrics' | 'clock' | 'tracer'>;
type Order = Pick<CallOrder, 'id' | 'plan' | 'traceParent'>;

/** `previous` is the target of the attempt before; undefined for the first. */
export function reportSent(
  { metrics, tracer, clock }: Parts,
  { id: requestId, plan, traceParent: parent }: Order,
  sent: SentAttempt,
  previous: Target | undefined,
): void {
  const { target, number } = sent;
  const expected = previous ?? plan.targets[0];
  if (expected && expected !== target) metrics.fellBack(expected.provider, target.provider);
  if (!tracer) return;
  const { operation } = plan;
  sent.span = startAttemptSpan(tracer, clock, { requestId, parent, operation, target, number });
}

export function reportFirstContent(
  { metrics, clock }: Parts,
  { plan }: Order,
  sent: SentAttempt,
): void {
  const { target, sentAtMs } = sent;
  const waitedMs = clock.monotonic() - sentAtMs;
  sent.firstContentMs = Math.round(waitedMs);
  metrics.firstContent(plan.operation, target.provider, target.model, waitedMs);
}
