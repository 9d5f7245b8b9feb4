// Provider limits of a single-process gateway.

import type { ProviderLimit, ProviderLimits } from '../../admission/provider-limits.ts';
import type { Clock } from '../../kernel/clock.ts';
import { accountCircuit, circuitId } from '../../resilience/circuit-key.ts';

export function createMemoryProviderLimits(clock: Clock): ProviderLimits {
  const limits = new Map<string, ProviderLimit>();

  function live(key: string): ProviderLimit | undefined {
    const limit = limits.get(key);
    if (!limit || limit.resetAt > clock.now()) return limit;
    limits.delete(key);
    return undefined;
  }

  return {
    active(call) {
      // Nearly always no limit is set, and no key has to be built.
      if (limits.size === 0) return undefined;
      return live(circuitId(accountCircuit(call))) ?? live(circuitId(call));
    },
    async set(limit) {
      const key = circuitId(limit);
      const known = live(key);
      if (limit.resetAt <= clock.now() || (known && known.resetAt >= limit.resetAt)) return;
      limits.set(key, limit);
    },
    async clear(key) {
      limits.delete(circuitId(key));
    },
    async list() {
      return [...limits.keys()].flatMap((key) => live(key) ?? []);
    },
    async close() {
      limits.clear();
    },
  };
}
