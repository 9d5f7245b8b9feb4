// An operator's view of the circuit breakers, and the reset of a circuit after its provider has recovered. Every
// configured circuit is listed, even without any calls.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { BreakerBoard, BreakerView } from '../resilience/breaker-board.ts';
import {
  type CircuitKey,
  circuitId,
  circuitLabel,
  isSameCircuit,
} from '../resilience/circuit-key.ts';
import type { Auditor, Operator } from './administer-audit.ts';

export type AdministerBreakers = {
  list(): Promise<readonly BreakerView[]>;
  /** Throws NOT_FOUND outside the configured providers and regions; resets the counts of a closed circuit. */
  reset(operator: Operator, key: CircuitKey): Promise<void>;
};

export type AdministerBreakersParts = {
  readonly breakers: Pick<BreakerBoard, 'list' | 'reset'>;
  readonly auditor: Auditor;
  /** Each configured provider in each of its regions. */
  readonly circuits: readonly CircuitKey[];
};

export function administerBreakers(parts: AdministerBreakersParts): AdministerBreakers {
  const { breakers, auditor, circuits } = parts;
  return {
    async list() {
      const known = await breakers.list();
      const idle = circuits.filter((key) => !known.some((view) => isSameCircuit(view.key, key)));
      return [...known, ...idle.map(idleView)].toSorted(byName);
    },
    async reset(operator, key) {
      if (!circuits.some((each) => contains(each, key)))
        throw new SpillwayError('NOT_FOUND', 'no such circuit');
      const target = `${key.provider}/${circuitLabel(key)}`;
      await auditor.record(operator, { action: 'breaker.reset', target });
      await breakers.reset(key);
    },
  };
}

/** A region contains the circuits of its accounts and of their models. */
function contains({ provider, region }: CircuitKey, key: CircuitKey): boolean {
  return key.provider === provider && key.region === region;
}

function idleView(key: CircuitKey): BreakerView {
  return {
    key,
    state: 'closed',
    cause: undefined,
    failuresInWindow: 0,
    callsInWindow: 0,
    successesInHalfOpen: 0,
    openedAt: undefined,
    nextProbeAt: undefined,
  };
}

function byName(one: BreakerView, other: BreakerView): number {
  return circuitId(one.key).localeCompare(circuitId(other.key));
}
