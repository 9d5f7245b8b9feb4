// Provider limits that end with a probe. Every limit that becomes known (met by a call, reported, set by an operator, or
// written to Redis by another system) opens its circuit until the reset time, and clearing the limit closes the circuit. A
// throttle is over within minutes and needs no probe. Circuits never make a limit fail: `limitUntil` does not reject.
// Callers choose the names of models, so the limits of single models are bounded: beyond the bound a limit is not shared.

import type { ProviderLimit, ProviderLimits } from '../../admission/provider-limits.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import {
  accountCircuit,
  type CircuitKey,
  circuitId,
  withModel,
} from '../../resilience/circuit-key.ts';

export const MAX_MODEL_LIMITS = 1000;

export function expectRecovery(
  limits: ProviderLimits,
  breakers: Pick<BreakerBoard, 'limitUntil' | 'clearLimit'>,
): ProviderLimits {
  /** The reset times already passed on, by circuit: each call reads its limit, and one call is enough to pass it on. */
  const expected = new Map<string, number>();

  /** The reset times of the limits of single models. */
  const ofModels = new Map<string, number>();

  function isShared(limit: ProviderLimit): boolean {
    if (limit.model === undefined) return true;
    const id = circuitId(limit);
    if (ofModels.size >= MAX_MODEL_LIMITS) dropPast(ofModels, limit.setAt);
    if (ofModels.size >= MAX_MODEL_LIMITS && !ofModels.has(id)) return false;
    ofModels.set(id, limit.resetAt);
    return true;
  }

  function expect(limit: ProviderLimit): Promise<void> {
    const key = circuitOf(limit);
    if (expected.size >= MAX_MODEL_LIMITS) dropPast(expected, limit.setAt);
    expected.set(circuitId(key), limit.resetAt);
    return breakers.limitUntil(key, limit.resetAt);
  }

  function isExpected(limit: ProviderLimit): boolean {
    return (expected.get(circuitId(limit)) ?? 0) >= limit.resetAt;
  }

  return {
    active(call) {
      const limit = limits.active(call);
      if (limit && limit.kind !== 'throttled' && !isExpected(limit)) void expect(limit);
      return limit;
    },
    async set(limit) {
      if (!isShared(limit)) return;
      const isThrottle = limit.kind === 'throttled';
      await Promise.all([limits.set(limit), isThrottle ? undefined : expect(limit)]);
    },
    async clear(key) {
      // The limit goes first: a call that still reads it would open the circuit again.
      await limits.clear(key);
      expected.delete(circuitId(key));
      ofModels.delete(circuitId(key));
      await breakers.clearLimit(key);
    },
    list: () => limits.list(),
    close: () => limits.close(),
  };
}

function dropPast(resetTimes: Map<string, number>, now: number): void {
  for (const [id, resetAt] of resetTimes) if (resetAt <= now) resetTimes.delete(id);
}

function circuitOf(limit: ProviderLimit): CircuitKey {
  return withModel(accountCircuit(limit), limit.model);
}
