// Provider limits in a call: read before an attempt, learnt from a failed one.

import {
  type ProviderLimit,
  type ProviderLimits,
  UNSTATED_LIMIT_MS,
} from '../../admission/provider-limits.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import { accountCircuit, withModel } from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';

/** The limit that forbids calling this target now. */
export function activeLimit(limits: ProviderLimits, target: Target): ProviderLimit | undefined {
  return limits.active(target);
}

/**
 * Learns a usage limit of the account or of one model, or a throttle of one model with a known end. A limit that cannot be
 * announced to the other servers still applies here.
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

function limitOf(
  target: Target,
  error: SpillwayError,
  now: number,
): Omit<ProviderLimit, 'setBy' | 'setAt'> | undefined {
  const account = accountCircuit(target);
  const model = withModel(account, target.model);
  const delayedTo = error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs;
  if (error.code === 'AI_LIMIT_REACHED') {
    const resetAt = error.resetAt ?? delayedTo ?? now + UNSTATED_LIMIT_MS;
    return { ...(error.isModelBound ? model : account), resetAt, kind: 'learnt' };
  }
  // The reset time of a throttle is when the whole limit is free again; a part of it is free after the stated delay.
  const resetAt = delayedTo ?? error.resetAt;
  if (error.code !== 'RATE_LIMITED' || resetAt === undefined) return undefined;
  return { ...model, resetAt, kind: 'throttled' };
}
