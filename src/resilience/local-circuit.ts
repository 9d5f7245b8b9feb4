// One circuit as a server keeps it in its own process, on a clock that never goes back: the machine, the calls it has
// seen, and who is told when the circuit moves. Where a cluster decides together, what was decided is adopted here, and
// this one decides alone while the others cannot be reached.

import type {
  BreakerAnswer,
  BreakerCause,
  BreakerPass,
  BreakerView,
  CallHealth,
  CircuitTransition,
} from './breaker-board.ts';
import { type CallTotals, CallWindow } from './call-window.ts';
import {
  type BreakerRules,
  type Circuit,
  type CircuitEvent,
  CLOSED,
  causeOf,
  isProbeDue,
  isTripped,
  refusedForMs,
  stepCircuit,
} from './circuit-breaker.ts';

export type CircuitPlace = { readonly provider: string; readonly region: string };

export type LocalCircuitParts = CircuitPlace & {
  readonly rules: BreakerRules;
  /** When a probe that never ended is given up. */
  readonly leaseMs: number;
  readonly onMove: (move: CircuitTransition) => void;
};

export class LocalCircuit {
  readonly #parts: LocalCircuitParts;
  readonly #window: CallWindow;
  /** The same for all calls while the circuit is closed. */
  readonly #pass: BreakerPass;
  #circuit: Circuit = CLOSED;

  constructor(parts: LocalCircuitParts) {
    this.#parts = parts;
    this.#window = new CallWindow(parts.rules.windowMs);
    const { provider, region } = parts;
    this.#pass = Object.freeze({ provider, region, probe: undefined });
  }

  get circuit(): Circuit {
    return this.#circuit;
  }

  get isClosed(): boolean {
    return this.#circuit.state === 'closed';
  }

  get heldBy(): BreakerCause | undefined {
    return causeOf(this.#circuit);
  }

  /** Nearly always closed: then no probe need be named. */
  ask(newProbeId: () => string, now: number): BreakerAnswer {
    if (this.isClosed) return { isAllowed: true, pass: this.#pass };
    if (!isProbeDue(this.#circuit, now)) return this.refusal(now);
    const id = newProbeId();
    this.#apply({ kind: 'probe_asked', at: now, id, leaseMs: this.#parts.leaseMs }, now);
    return this.probeGiven(id);
  }

  probeGiven(probe: string): BreakerAnswer {
    return { isAllowed: true, pass: { ...this.#pass, probe } };
  }

  refusal(now: number): BreakerAnswer {
    const retryAfterMs = refusedForMs(this.#circuit, now);
    return { isAllowed: false, retryAfterMs, cause: this.heldBy ?? 'failures' };
  }

  /** Counts a call; says nothing about the circuit yet. */
  count(health: CallHealth, now: number): void {
    if (health !== 'neutral') this.#window.add(health === 'failure', now);
  }

  /** Moves the circuit by what this server alone has seen. */
  decide(pass: BreakerPass, health: CallHealth, now: number): void {
    const { probe: id } = pass;
    if (id === undefined && (health !== 'failure' || !this.isClosed)) return;
    const isEnough = health === 'failure' && this.#isTripped(now);
    if (id !== undefined)
      this.#apply({ kind: 'probe_ended', at: now, id, health, isTripped: isEnough }, now);
    else if (isEnough) this.#apply({ kind: 'tripped', at: now }, now);
  }

  /** The provider says that it serves again then. */
  limit(until: number, now: number): void {
    this.#apply({ kind: 'limited', at: now, until }, now);
  }

  clearLimit(now: number): void {
    this.#apply({ kind: 'limit_cleared' }, now);
  }

  reset(now: number): void {
    this.#window.clear();
    this.#apply({ kind: 'reset' }, now);
  }

  /** Another has decided, or all together have. */
  adopt(circuit: Circuit, isDecidedHere: boolean, now: number): void {
    const { state: from } = this.#circuit;
    const { state: to } = circuit;
    const [before, after] = [causeOf(this.#circuit), causeOf(circuit)];
    this.#circuit = circuit;
    if (from === to && before === after) return;
    const { provider, region, onMove } = this.#parts;
    const { failures, calls } = this.#window.totals(now);
    // What opened it once shall not open it again.
    if (to === 'closed') this.#window.clear();
    const cause = after ?? before ?? 'failures';
    onMove({ provider, region, from, to, cause, failures, calls, isDecidedHere });
  }

  /** In epoch milliseconds, which are so much ahead of the time that is kept here. */
  view(now: number, epochMs: number): BreakerView {
    const { provider, region, rules } = this.#parts;
    const totals = this.#window.totals(now);
    return viewOf({ provider, region }, this.#circuit, totals, rules.openMs, { now, epochMs });
  }

  #isTripped(now: number): boolean {
    const { failures, calls } = this.#window.totals(now);
    return isTripped(this.#parts.rules, failures, calls);
  }

  #apply(event: CircuitEvent, now: number): void {
    this.adopt(stepCircuit(this.#parts.rules, this.#circuit, event), true, now);
  }
}

/** As people see it: a circuit whose time is over waits for its probe, whether or not somebody has asked yet. */
export function viewOf(
  place: CircuitPlace,
  circuit: Circuit,
  totals: CallTotals,
  openMs: number,
  { now, epochMs }: ViewTime,
): BreakerView {
  const isDue = isProbeDue(circuit, now);
  return {
    ...place,
    state: circuit.state === 'open' && isDue ? 'half_open' : circuit.state,
    cause: causeOf(circuit),
    failuresInWindow: totals.failures,
    callsInWindow: totals.calls,
    successesInHalfOpen: circuit.state === 'half_open' ? circuit.successes : 0,
    openedAt: circuit.state === 'closed' ? undefined : Math.round(circuit.openedAt + epochMs),
    nextProbeAt: nextProbeAt(circuit, openMs, { now, epochMs }),
  };
}

/** A circuit that is closed and that nobody calls says nothing. */
export function isWorthShowing({ state, callsInWindow }: BreakerView): boolean {
  return state !== 'closed' || callsInWindow > 0;
}

type ViewTime = { readonly now: number; readonly epochMs: number };

function nextProbeAt(
  circuit: Circuit,
  openMs: number,
  { now, epochMs }: ViewTime,
): number | undefined {
  const isWaiting = circuit.state === 'open' || isProbeDue(circuit, now);
  if (circuit.state === 'closed' || !isWaiting) return undefined;
  if (circuit.cause === 'failures') return Math.round(circuit.openedAt + epochMs) + openMs;
  return Math.round((circuit.state === 'open' ? circuit.probeAt : now) + epochMs);
}
