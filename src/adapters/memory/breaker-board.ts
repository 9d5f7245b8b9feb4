// The circuit breakers of a gateway that is one process.

import type { Clock } from '../../kernel/clock.ts';
import {
  type BreakerBoard,
  type BreakerPass,
  type CallHealth,
  type CircuitTransition,
  healthForAll,
  healthForOne,
} from '../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../resilience/circuit-breaker.ts';
import {
  accountCircuit,
  type CircuitKey,
  circuitId,
  organizationCircuit,
} from '../../resilience/circuit-key.ts';
import { isWorthShowing, LocalCircuit } from '../../resilience/local-circuit.ts';
import { OwnCircuits } from '../../resilience/own-circuits.ts';

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
  const own = new OwnCircuits(rules.windowMs, makeCircuit);
  let notClosed = 0;

  function onTransition(transition: CircuitTransition): void {
    if (transition.from === 'closed') notClosed += 1;
    if (transition.to === 'closed') notClosed -= 1;
    parts.onTransition(transition);
    const { key, to, cause } = transition;
    const { organization, model } = key;
    // Callers choose the names of models: of their circuits only the open ones are stored.
    if (model !== undefined && to === 'closed') circuits.delete(circuitId(key));
    if (organization !== undefined) {
      if (to === 'closed') circuitOf(accountCircuit(key)).forget(organization);
    } else if (cause === 'failures' && to !== 'half_open') resetOwn(key);
  }

  /** When the circuit of all organisations opens or closes, the circuits of single organisations are reset. */
  function resetOwn(account: CircuitKey): void {
    for (const each of own.of(account)) each.reset(clock.monotonic());
  }

  function makeCircuit(key: CircuitKey): LocalCircuit {
    return new LocalCircuit({ key, rules, leaseMs, onTransition });
  }

  function circuitOf(key: CircuitKey): LocalCircuit {
    const id = circuitId(key);
    const known = circuits.get(id);
    if (known) return known;
    const made = makeCircuit(key);
    circuits.set(id, made);
    return made;
  }

  /** A circuit of one organisation exists only after a failure, a circuit of a model only during a limit. */
  function knownCircuit(key: CircuitKey): LocalCircuit | undefined {
    if (key.organization !== undefined) return own.get(key);
    return key.model === undefined ? circuitOf(key) : circuits.get(circuitId(key));
  }

  function reportToAll(pass: BreakerPass, health: CallHealth, organization?: string): void {
    const now = clock.monotonic();
    const circuit = knownCircuit(pass.key);
    circuit?.count(healthForAll(health), now, organization);
    circuit?.decide(pass, healthForAll(health), now);
  }

  /** The organisation's own circuit; the first failure makes it, with the calls counted so far. */
  function ownOf(key: CircuitKey, organization: string, health: CallHealth) {
    // Usually no organisation has its own circuit, and the lookup is skipped.
    if (own.isEmpty && health === 'success') return undefined;
    const now = clock.monotonic();
    const known = own.find(key, organization, now);
    if (known || healthForOne(health) !== 'failure') return known;
    const made = own.create(organizationCircuit(key, organization), now);
    made?.seed(circuitOf(key).totalsOf(organization, now), now);
    return made;
  }

  function reportToOne(circuit: LocalCircuit, pass: BreakerPass, health: CallHealth): void {
    // Failures that opened the circuit for all do not open another one.
    if (pass.probe === undefined && !circuitOf(accountCircuit(pass.key)).isClosed) return;
    const now = clock.monotonic();
    circuit.count(healthForOne(health), now);
    circuit.decide(pass, healthForOne(health), now);
  }

  return {
    hasOpen: () => notClosed > 0,
    // Usually every circuit is closed, and no map key has to be built.
    isClosed: (key) => notClosed === 0 || (knownCircuit(key)?.isClosed ?? true),
    openCause: (key) => (notClosed === 0 ? undefined : knownCircuit(key)?.openCause),
    openForMs: (key) =>
      notClosed === 0 ? 0 : (knownCircuit(key)?.openForMs(clock.monotonic()) ?? 0),
    requestPass(key, onAnswer) {
      const circuit = knownCircuit(key);
      if (circuit) return onAnswer(circuit.requestPass(newProbeId, clock.monotonic()));
      onAnswer({ isAllowed: true, pass: { key, probe: undefined } });
    },
    report(pass, health, organization) {
      const { key } = pass;
      if (key.organization !== undefined) {
        const circuit = own.get(key);
        if (circuit) reportToOne(circuit, pass, health);
        return reportToAll(
          { key: accountCircuit(key), probe: undefined },
          health,
          key.organization,
        );
      }
      if (organization === undefined || key.model !== undefined)
        return reportToAll(pass, health, organization);
      const circuit = ownOf(key, organization, health);
      reportToAll(pass, health, organization);
      if (!circuit) return;
      const ownKey = organizationCircuit(key, organization);
      reportToOne(circuit, { key: ownKey, probe: undefined }, health);
    },
    async limitUntil(key, resetAt) {
      const now = clock.monotonic();
      circuitOf(key).limit(now + resetAt - clock.now(), now);
    },
    clearLimit: async (key) => knownCircuit(key)?.clearLimit(clock.monotonic()),
    async list() {
      const now = clock.monotonic();
      const all = [...circuits.values(), ...own.all()];
      const views = all.map((circuit) => circuit.view(now, clock.now() - now));
      return views.filter(isWorthShowing);
    },
    async reset(key) {
      knownCircuit(key)?.reset(clock.monotonic());
      if (key.organization === undefined) resetOwn(key);
    },
    async close() {
      circuits.clear();
      own.clear();
      notClosed = 0;
    },
  };
}
