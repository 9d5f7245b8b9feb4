// Provider limits whose end is waited for by one probe: whatever limit becomes known, met by a call, reported, set by
// hand or read from what another system wrote, its circuit is told when the provider serves again; and when it is taken
// away, that nothing is to be waited for. A throttle is over within minutes and needs no probe. The circuits never fail
// a limit: what they cannot tell the other servers holds here.

import type { ProviderLimit, ProviderLimits } from '../../admission/provider-limits.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import { circuitOf } from './provider-limit.ts';

export function expectRecovery(
  limits: ProviderLimits,
  breakers: Pick<BreakerBoard, 'expect' | 'expectNothing'>,
): ProviderLimits {
  /** The ends that were told, by circuit: a limit that is asked for again and again is told once. */
  const told = new Map<string, number>();

  function expect(limit: ProviderLimit): Promise<void> {
    const { provider, resetAt } = limit;
    const circuit = circuitOf(limit);
    told.set(`${provider} ${circuit}`, resetAt);
    return breakers.expect(provider, circuit, resetAt);
  }

  function isTold(limit: ProviderLimit): boolean {
    return (told.get(`${limit.provider} ${circuitOf(limit)}`) ?? 0) >= limit.resetAt;
  }

  return {
    active(provider, region, model) {
      const limit = limits.active(provider, region, model);
      if (limit && limit.kind !== 'throttled' && !isTold(limit)) void expect(limit);
      return limit;
    },
    async set(limit) {
      const isThrottle = limit.kind === 'throttled';
      await Promise.all([limits.set(limit), isThrottle ? undefined : expect(limit)]);
    },
    async clear(provider, region, model) {
      // The limit first: who still sees it would wait for its end again.
      await limits.clear(provider, region, model);
      const circuit = circuitOf({ region, model });
      told.delete(`${provider} ${circuit}`);
      await breakers.expectNothing(provider, circuit);
    },
    list: () => limits.list(),
    close: () => limits.close(),
  };
}
