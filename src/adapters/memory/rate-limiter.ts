// Rate limits of a gateway that is one process: every decision is made at once, from counts that end with it. Windows
// are kept by elapsed time, so that a wall clock that is set forward or back neither opens nor shuts a limit.

import type { Clock } from '../../kernel/clock.ts';
import { LimitCounters } from '../../resilience/limit-counters.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';

export function createMemoryRateLimiter(clock: Clock): RateLimiter {
  const book = new LimitCounters();
  const time = () => ({ monotonic: clock.monotonic(), wall: clock.now() });

  return {
    take: (ask, onDecision) => onDecision(book.take(ask, time())),
    giveBack: (ask) => void book.giveBack(ask),
    settle: (ask, usedTokens) => void book.settle(ask, usedTokens),
    look: async (limits) => book.look(limits, time()),
    async close() {
      book.clear();
    },
  };
}
