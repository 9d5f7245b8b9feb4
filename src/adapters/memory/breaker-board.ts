// The circuit breakers of a gateway that is one process.

import type { Clock } from '../../kernel/clock.ts';
import type { BreakerBoard, CircuitTransition } from '../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../resilience/circuit-breaker.ts';
import { type CircuitKey, circuitId } from '../../resilience/circuit-key.ts';
import { isWorthShowing, LocalCircuit } from '../../resilience/local-circuit.ts';

export type MemoryBreakerBoardParts = {
  readonly rules: BreakerRules;
  readonly clock: Clock;
  readonly newProbeId: () => string;
  /** The longest duration of a call: a probe that has not ended by then is given up. */
  readonly longestCallMs: number;
  readonly onTransition: (transition: CircuitTransition) => void;
};

export function createMemoryBreakerBoard(parts: MemoryBreakerBoardParts): BreakerBoard {
  const { rules, clock, newProbeId, longestCallMs: leaseMs } = parts;
  const circuits = new Map<string, LocalCircuit>();
  let notClosed = 0;

  function onTransition(transition: CircuitTransition): void {
    if (transition.from === 'closed') notClosed += 1;
    if (transition.to === 'closed') notClosed -= 1;
    parts.onTransition(transition);
  }

  function circuitOf(key: CircuitKey): LocalCircuit {
    const id = circuitId(key);
    const known = circuits.get(id);
    if (known) return known;
    const made = new LocalCircuit({ key, rules, leaseMs, onTransition });
    circuits.set(id, made);
    return made;
  }

  return {
    // Usually every circuit is closed: then no map key has to be built.
    isClosed: (key) => notClosed === 0 || circuitOf(key).isClosed,
    openCause: (key) => (notClosed === 0 ? undefined : circuitOf(key).openCause),
    requestPass: (key, onAnswer) =>
      onAnswer(circuitOf(key).requestPass(newProbeId, clock.monotonic())),
    report(pass, health) {
      const now = clock.monotonic();
      const circuit = circuitOf(pass.key);
      circuit.count(health, now);
      circuit.decide(pass, health, now);
    },
    async limitUntil(key, resetAt) {
      const now = clock.monotonic();
      circuitOf(key).limit(now + resetAt - clock.now(), now);
    },
    clearLimit: async (key) => circuitOf(key).clearLimit(clock.monotonic()),
    async list() {
      const now = clock.monotonic();
      const views = [...circuits.values()].map((circuit) => circuit.view(now, clock.now() - now));
      return views.filter(isWorthShowing);
    },
    reset: async (key) => circuitOf(key).reset(clock.monotonic()),
    async close() {
      circuits.clear();
      notClosed = 0;
    },
  };
}
