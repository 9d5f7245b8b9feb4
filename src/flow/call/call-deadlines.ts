// The deadlines of a call on the process's monotonic clock.

import type { RetryBounds, RetryContext } from '../../resilience/retry-policy.ts';
import type { CallDeadlines, CallParts } from './call-order.ts';

type Timed = Pick<CallParts, 'clock'>;

/** No further attempt may begin. */
export function isLate({ clock }: Timed, { deadlineAtMs }: CallDeadlines): boolean {
  return clock.monotonic() >= deadlineAtMs;
}

/** The caller sets its own deadline, so a missed one shows nothing about the provider. */
export function isOwnDeadlineOver({ clock }: Timed, { ownDeadlineAtMs }: CallDeadlines): boolean {
  return ownDeadlineAtMs !== undefined && clock.monotonic() >= ownDeadlineAtMs;
}

/** The time of a decision on a retry, in epoch milliseconds. */
export function retryMoment(
  { clock }: Timed,
  { deadlineAtMs }: CallDeadlines,
  bounds: RetryBounds | undefined,
): RetryContext {
  const now = clock.now();
  const deadlineAt = now + deadlineAtMs - clock.monotonic();
  return { now, deadlineAt, random: clock.random(), ...bounds };
}
