// Provider limits of a gateway that is one process.

import type { ProviderLimit, ProviderLimits } from '../../admission/provider-limits.ts';
import type { Clock } from '../../kernel/clock.ts';

export function createMemoryProviderLimits(clock: Clock): ProviderLimits {
  const limits = new Map<string, ProviderLimit>();

  function live(key: string): ProviderLimit | undefined {
    const limit = limits.get(key);
    if (!limit || limit.resetAt > clock.now()) return limit;
    limits.delete(key);
    return undefined;
  }

  return {
    active(provider, region, model) {
      // Nearly always nothing is limited, and then no key need be built.
      if (limits.size === 0) return undefined;
      return live(keyOf(provider, region)) ?? live(keyOf(provider, region, model));
    },
    async set(limit) {
      const key = keyOf(limit.provider, limit.region, limit.model);
      const known = live(key);
      if (limit.resetAt <= clock.now() || (known && known.resetAt >= limit.resetAt)) return;
      limits.set(key, limit);
    },
    async clear(provider, region, model) {
      limits.delete(keyOf(provider, region, model));
    },
    async list() {
      return [...limits.keys()].flatMap((key) => live(key) ?? []);
    },
    async close() {
      limits.clear();
    },
  };
}

function keyOf(provider: string, region: string, model?: string): string {
  return model === undefined ? `${provider}:${region}` : `${provider}:${region}:${model}`;
}
