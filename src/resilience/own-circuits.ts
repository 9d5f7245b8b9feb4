// The circuits of single organisations, which failures of one organisation alone open. A circuit exists from the first
// failure of its organisation; it is dropped when it is closed and had no call for a window. At the cap no further
// circuit is made: its organisation is then subject to the shared circuit only.

import { accountCircuit, type CircuitKey, circuitId, organizationCircuit } from './circuit-key.ts';

const MAX_CIRCUITS = 1000;

export type OwnCircuit = {
  readonly isClosed: boolean;
  /** Releases timers; the circuit is not used again. */
  close?(): unknown;
};

type Entry<Circuit> = { readonly circuit: Circuit; readonly account: string; usedAt: number };

export class OwnCircuits<Circuit extends OwnCircuit> {
  readonly #make: (key: CircuitKey) => Circuit;
  readonly #idleMs: number;
  readonly #entries = new Map<string, Entry<Circuit>>();

  constructor(idleMs: number, make: (key: CircuitKey) => Circuit) {
    this.#idleMs = idleMs;
    this.#make = make;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: CircuitKey): Circuit | undefined {
    return this.isEmpty ? undefined : this.#entries.get(circuitId(key))?.circuit;
  }

  /** The circuit of an organisation that made a call. */
  find(account: CircuitKey, organization: string, now: number): Circuit | undefined {
    if (this.isEmpty) return undefined;
    const entry = this.#entries.get(circuitId(organizationCircuit(account, organization)));
    if (entry) entry.usedAt = now;
    return entry?.circuit;
  }

  /** Undefined at the cap. */
  create(key: CircuitKey, now: number): Circuit | undefined {
    this.#dropIdle(now);
    if (this.#entries.size >= MAX_CIRCUITS) return undefined;
    const circuit = this.#make(key);
    const account = circuitId(accountCircuit(key));
    this.#entries.set(circuitId(key), { circuit, account, usedAt: now });
    return circuit;
  }

  /** The circuits of an account. */
  of(account: CircuitKey): readonly Circuit[] {
    if (this.isEmpty) return [];
    const id = circuitId(account);
    return [...this.#entries.values()].flatMap((each) => (each.account === id ? each.circuit : []));
  }

  all(): readonly Circuit[] {
    return [...this.#entries.values()].map(({ circuit }) => circuit);
  }

  clear(): void {
    this.#entries.clear();
  }

  #dropIdle(now: number): void {
    for (const [id, { circuit, usedAt }] of this.#entries) {
      if (!circuit.isClosed || usedAt > now - this.#idleMs) continue;
      circuit.close?.();
      this.#entries.delete(id);
    }
  }
}
