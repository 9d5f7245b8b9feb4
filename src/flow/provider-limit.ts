// The two moments a call meets what is known of provider limits: before it is made, and when it failed.

import {
  CLOCK_SKEW_MS,
  type ProviderLimits,
  UNSTATED_LIMIT_MS,
} from '../admission/provider-limits.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Target } from '../routing/target.ts';

/** Refuses at once, with the time to come back: nobody hammers a wall. */
export function refuseWhileLimited(limits: ProviderLimits, target: Target): void {
  const limit = limits.active(target.provider, target.region, target.model);
  if (!limit) return;
  throw new SpillwayError('AI_LIMIT_REACHED', `${target.provider} is limited`, {
    params: { resetTime: limit.resetAt },
    resetAt: limit.resetAt,
  });
}

/** One learns, all know. A limit that cannot be announced still holds here. */
export function learnLimit(
  limits: ProviderLimits,
  target: Target,
  error: SpillwayError,
  serverId: string,
  now: number,
): void {
  if (error.code !== 'AI_LIMIT_REACHED') return;
  const { provider, region } = target;
  const statedAt =
    error.resetAt ?? (error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs);
  const resetAt = (statedAt ?? now + UNSTATED_LIMIT_MS) + CLOCK_SKEW_MS;
  limits
    .set({ provider, region, resetAt, setBy: serverId, setAt: now, kind: 'learnt' })
    .catch(() => {});
}
