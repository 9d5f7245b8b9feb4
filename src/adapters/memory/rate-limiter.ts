// Rate limits of a single process: decisions are synchronous, and the counts end with the process. Windows are kept in
// monotonic time, so that a change of the wall clock neither opens nor closes a limit.

import type { Clock } from '../../kernel/clock.ts';
import { LimitCounters } from '../../resilience/limit-counters.ts';
import type { ReadLimiterFigures } from '../../resilience/limiter-figures.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';

export function createMemoryRateLimiter(
  clock: Clock,
): RateLimiter & { readonly figures: ReadLimiterFigures } {
  const counters = new LimitCounters();
  const time = () => ({ monotonic: clock.monotonic(), wall: clock.now() });

  return {
    take: (ask, onDecision) => onDecision(counters.take(ask, time())),
    giveBack: (ask) => void counters.giveBack(ask),
    settle: (ask, usedTokens) => void counters.settle(ask, usedTokens),
    look: async (limits) => counters.look(limits, time()),
    figures: async () => ({ records: counters.size }),
    async close() {
      counters.clear();
    },
  };
}
