// The two moments a call meets what is known of provider limits: before it is made, and when it failed.

import {
  type ProviderLimit,
  type ProviderLimits,
  UNSTATED_LIMIT_MS,
} from '../../admission/provider-limits.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Target } from '../../routing/target.ts';

/** The limit that forbids calling this target now. */
export function activeLimit(limits: ProviderLimits, target: Target): ProviderLimit | undefined {
  return limits.active(target.provider, regionOf(target), target.model);
}

/**
 * One learns, all know: a usage limit of the account or of one model, or a throttle of one model with a stated end. A
 * limit that cannot be announced still holds here.
 */
export function learnLimit(
  limits: ProviderLimits,
  target: Target,
  error: SpillwayError,
  serverId: string,
  now: number,
): void {
  const limit = limitOf(target, error, now);
  if (limit) limits.set({ ...limit, setBy: serverId, setAt: now }).catch(() => {});
}

/** Further accounts of a provider have limits of their own, so each is a place of its own. */
export function regionOf({ region, account }: Pick<Target, 'region' | 'account'>): string {
  return account === 'default' ? region : `${region}/${account}`;
}

/** The circuit that waits for the end of a limit; a limit of one model has one of its own. */
export function circuitOf({ region, model }: LimitPlace): string {
  return model === undefined ? region : `${region}:${model}`;
}

type LimitPlace = { readonly region: string; readonly model?: string | undefined };

function limitOf(
  target: Target,
  error: SpillwayError,
  now: number,
): Omit<ProviderLimit, 'setBy' | 'setAt'> | undefined {
  const { provider, model } = target;
  const region = regionOf(target);
  const delayedTo = error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs;
  if (error.code === 'AI_LIMIT_REACHED') {
    const resetAt = error.resetAt ?? delayedTo ?? now + UNSTATED_LIMIT_MS;
    return { provider, region, ...(error.isModelBound ? { model } : {}), resetAt, kind: 'learnt' };
  }
  // The moment that comes with a throttle is when all of the limit is free again; a part of it is much sooner.
  const resetAt = delayedTo ?? error.resetAt;
  if (error.code !== 'RATE_LIMITED' || resetAt === undefined) return undefined;
  return { provider, region, model, resetAt, kind: 'throttled' };
}
