// The circuit breakers of a gateway that is one process.

import type { Clock } from '../../kernel/clock.ts';
import type { BreakerBoard, CircuitTransition } from '../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../resilience/circuit-breaker.ts';
import { isWorthShowing, LocalCircuit } from '../../resilience/local-circuit.ts';

export type MemoryBreakerBoardParts = {
  readonly rules: BreakerRules;
  readonly clock: Clock;
  readonly newProbeId: () => string;
  /** The longest a call lasts: a probe that has not ended by then never will. */
  readonly longestCallMs: number;
  readonly onMove: (move: CircuitTransition) => void;
};

export function createMemoryBreakerBoard(parts: MemoryBreakerBoardParts): BreakerBoard {
  const { rules, clock, newProbeId, longestCallMs: leaseMs } = parts;
  const keepers = new Map<string, LocalCircuit>();
  let notClosed = 0;

  function onMove(move: CircuitTransition): void {
    if (move.from === 'closed') notClosed += 1;
    if (move.to === 'closed') notClosed -= 1;
    parts.onMove(move);
  }

  function keeperOf(provider: string, region: string): LocalCircuit {
    const key = `${provider} ${region}`;
    const known = keepers.get(key);
    if (known) return known;
    const made = new LocalCircuit({ provider, region, rules, leaseMs, onMove });
    keepers.set(key, made);
    return made;
  }

  return {
    // Nearly always every circuit is closed, and then no key need be built.
    isClosed: (provider, region) => notClosed === 0 || keeperOf(provider, region).isClosed,
    heldBy: (provider, region) => (notClosed === 0 ? undefined : keeperOf(provider, region).heldBy),
    ask: (provider, region, onAnswer) =>
      onAnswer(keeperOf(provider, region).ask(newProbeId, clock.monotonic())),
    report(pass, health) {
      const now = clock.monotonic();
      const keeper = keeperOf(pass.provider, pass.region);
      keeper.count(health, now);
      keeper.decide(pass, health, now);
    },
    async expect(provider, region, at) {
      const now = clock.monotonic();
      keeperOf(provider, region).limit(now + at - clock.now(), now);
    },
    expectNothing: async (provider, region) =>
      keeperOf(provider, region).clearLimit(clock.monotonic()),
    async list() {
      const now = clock.monotonic();
      const views = [...keepers.values()].map((keeper) => keeper.view(now, clock.now() - now));
      return views.filter(isWorthShowing);
    },
    reset: async (provider, region) => keeperOf(provider, region).reset(clock.monotonic()),
    async close() {
      keepers.clear();
      notClosed = 0;
    },
  };
}
