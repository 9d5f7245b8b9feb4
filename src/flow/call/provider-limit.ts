// Provider limits in a call: read before an attempt, learnt from a failed one.

import type { HeadroomGauges } from '../../admission/headroom-headers.ts';
import {
  MAX_LIMIT_MS,
  MAX_THROTTLE_MS,
  type ProviderLimit,
  type ProviderLimits,
} from '../../admission/provider-limits.ts';
import type { Lesson } from '../../errors/mapping/lesson/lesson.ts';
import { UNSTATED_LIMIT_MS } from '../../errors/reset-timing.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import { accountCircuit, withModel } from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';

/** The limit that forbids calling this target now. */
export function activeLimit(limits: ProviderLimits, target: Target): ProviderLimit | undefined {
  return limits.active(target);
}

/**
 * Learns a usage limit of the account or of one model, or a throttle of one model with a known end, from the lesson of a
 * failure: a caller's own text never teaches one. A call that the provider counts separately teaches only used-up credit, and a call
 * that takes most of the latest remainder teaches no throttle without numbers. A limit that cannot be announced to the other servers
 * still applies here.
 */
export function learnLimit(
  limits: ProviderLimits,
  target: Target,
  { lesson }: SpillwayError,
  teacher: LimitTeacher,
  now: number,
): void {
  const { serverId: setBy, requestId, isCountedApart } = teacher;
  if (!lesson || (isCountedApart && !lesson.isCredit)) return;
  if (lesson.isUnnumbered && teacher.takesTheRest()) return;
  const limit = limitOf(target, lesson, now);
  if (!limit) return;
  limits.set({ ...limit, setBy, setAt: now, requestId }).catch(() => {});
}

/** The server and the request that met the limit. */
export type LimitTeacher = {
  readonly serverId: string;
  readonly requestId: string;
  readonly isCountedApart: boolean;
  /** Whether the request takes most of the remainder of the latest answers, and smaller requests fit. */
  readonly takesTheRest: () => boolean;
};

/** A smaller request fits where this part of each limit is left. */
const FIT_SHARE = 0.1;
/** A request of this part of the rest takes most of it. */
const LARGE_SHARE = 0.5;

/** False without recent gauges. */
export function takesTheRest(gauges: HeadroomGauges | undefined, tokens: () => number): boolean {
  if (!gauges || Object.keys(gauges).length === 0) return false;
  const { requests: _, ...ofTokens } = gauges;
  if (Object.values(gauges).some(({ remaining, limit }) => remaining < limit * FIT_SHARE))
    return false;
  return Object.values(ofTokens).some(({ remaining }) => tokens() >= remaining * LARGE_SHARE);
}

function limitOf(
  target: Target,
  lesson: Lesson,
  now: number,
): Omit<ProviderLimit, 'setBy' | 'setAt'> | undefined {
  const account = accountCircuit(target);
  const model = withModel(account, target.model);
  const delayedTo = lesson.retryAfterMs === undefined ? undefined : now + lesson.retryAfterMs;
  if (lesson.code === 'AI_LIMIT_REACHED') {
    const statedAt = lesson.resetAt ?? delayedTo;
    const resetAt = Math.min(statedAt ?? now + UNSTATED_LIMIT_MS, now + MAX_LIMIT_MS);
    const kind = statedAt === undefined && lesson.isCredit ? 'credit' : 'learnt';
    return { ...(lesson.isModelBound ? model : account), resetAt, kind };
  }
  // The reset time of a throttle is when the whole limit is free again; a part of it is free after the stated delay.
  const resetAt = delayedTo ?? lesson.resetAt;
  if (lesson.code !== 'RATE_LIMITED' || resetAt === undefined) return undefined;
  return { ...model, resetAt: Math.min(resetAt, now + MAX_THROTTLE_MS), kind: 'throttled' };
}
