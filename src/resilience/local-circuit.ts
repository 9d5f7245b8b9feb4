// One circuit in the memory of one server, on a monotonic clock: the state machine, the calls in the window, and the
// listener for transitions. In a cluster it adopts the shared decisions, and decides by its own counts while the shared
// store is unavailable.

import type {
  BreakerAnswer,
  BreakerCause,
  BreakerPass,
  BreakerView,
  CallHealth,
  CircuitTransition,
} from './breaker-board.ts';
import { type CallTotals, CallWindow } from './call-window.ts';
import { CallerWindows, opensForAll } from './caller-windows.ts';
import {
  type BreakerRules,
  type Circuit,
  type CircuitEvent,
  CLOSED,
  causeOf,
  isProbeDue,
  isTripped,
  retryAfterMs,
  stepCircuit,
} from './circuit-breaker.ts';
import type { CircuitKey } from './circuit-key.ts';

export type LocalCircuitParts = {
  readonly key: CircuitKey;
  readonly rules: BreakerRules;
  /** A probe that has not ended by then is given to the next call. */
  readonly leaseMs: number;
  readonly onTransition: (transition: CircuitTransition) => void;
};

/** Stands for organisations at other servers; no organisation has this name. */
const OTHERS = '*';

export class LocalCircuit {
  readonly #parts: LocalCircuitParts;
  readonly #window: CallWindow;
  readonly #callers: CallerWindows;
  /** Shared by all calls of a closed circuit. */
  readonly #pass: BreakerPass;
  #circuit: Circuit = CLOSED;

  constructor(parts: LocalCircuitParts) {
    this.#parts = parts;
    this.#window = new CallWindow(parts.rules.windowMs);
    this.#callers = new CallerWindows(parts.rules);
    this.#pass = Object.freeze({ key: parts.key, probe: undefined });
  }

  get circuit(): Circuit {
    return this.#circuit;
  }

  get isClosed(): boolean {
    return this.#circuit.state === 'closed';
  }

  get openCause(): BreakerCause | undefined {
    return causeOf(this.#circuit);
  }

  openForMs(now: number): number {
    const isOpen = !this.isClosed && !isProbeDue(this.#circuit, now);
    return isOpen ? retryAfterMs(this.#circuit, now) : 0;
  }

  /** A closed circuit, the usual case, needs no probe id. */
  requestPass(newProbeId: () => string, now: number): BreakerAnswer {
    if (this.isClosed) return { isAllowed: true, pass: this.#pass };
    if (!isProbeDue(this.#circuit, now)) return this.refusal(now);
    const id = newProbeId();
    this.#apply({ kind: 'probe_requested', at: now, id, leaseMs: this.#parts.leaseMs }, now);
    return this.probePass(id);
  }

  probePass(probe: string): BreakerAnswer {
    return { isAllowed: true, pass: { ...this.#pass, probe } };
  }

  refusal(now: number): BreakerAnswer {
    const waitMs = retryAfterMs(this.#circuit, now);
    return { isAllowed: false, retryAfterMs: waitMs, cause: this.openCause ?? 'failures' };
  }

  /** Counts a call without moving the circuit. */
  count(health: CallHealth, now: number, organization?: string): void {
    if (health === 'neutral' || health === 'doubtful') {
      if (organization !== undefined) this.#callers.touch(organization, now);
      return;
    }
    this.#window.add(health === 'failure', now);
    if (organization !== undefined) this.#callers.add(organization, health === 'failure', now);
  }

  /** Counts calls that were made before the circuit existed. */
  seed({ calls, failures }: CallTotals, now: number): void {
    if (calls > 0) this.#window.addAll(calls, failures, now);
  }

  /** The calls of one organisation in the window. */
  totalsOf(organization: string, now: number): CallTotals {
    return this.#callers.totals(organization, now);
  }

  /** Whether enough of the organisation's calls in the window failed. */
  isFailing(organization: string, now: number): boolean {
    return this.#callers.isFailing(organization, now);
  }

  /** Whether the organisation has called in the window and too few of its calls failed. */
  isSucceeding(organization: string, now: number): boolean {
    return this.totalsOf(organization, now).calls > 0 && !this.isFailing(organization, now);
  }

  /** Several organisations call, some of them at other servers: failures of one here open no circuit for all. */
  noteOthers(now: number): void {
    this.#callers.touch(OTHERS, now);
  }

  /** Failures that opened the organisation's own circuit must not open it a second time. */
  forget(organization: string): void {
    this.#callers.forget(organization);
  }

  /** Moves the circuit by the counts of this server. */
  decide(pass: BreakerPass, health: CallHealth, now: number): void {
    const { probe: id } = pass;
    if (id === undefined && (health !== 'failure' || !this.isClosed)) return;
    const isEnough = health === 'failure' && this.#isTripped(now);
    if (id !== undefined)
      this.#apply({ kind: 'probe_ended', at: now, id, health, isTripped: isEnough }, now);
    else if (isEnough) this.#apply({ kind: 'tripped', at: now }, now);
  }

  limit(until: number, now: number): void {
    this.#apply({ kind: 'limited', at: now, until }, now);
  }

  clearLimit(now: number): void {
    this.#apply({ kind: 'limit_cleared' }, now);
  }

  reset(now: number): void {
    this.#clearCounts();
    this.#apply({ kind: 'reset' }, now);
  }

  /** Takes over a state that was decided here or elsewhere, and notifies the listener if it differs. */
  adopt(circuit: Circuit, isDecidedHere: boolean, now: number): void {
    const { state: from } = this.#circuit;
    const { state: to } = circuit;
    const [before, after] = [causeOf(this.#circuit), causeOf(circuit)];
    this.#circuit = circuit;
    if (from === to && before === after) return;
    const { key, onTransition } = this.#parts;
    const { failures, calls } = this.#window.totals(now);
    // Failures that opened the circuit once must not open it a second time.
    if (to === 'closed') this.#clearCounts();
    const cause = after ?? before ?? 'failures';
    onTransition({ key, from, to, cause, failures, calls, isDecidedHere });
  }

  /** `epochMs` is the epoch time at the zero of this circuit's clock. */
  view(now: number, epochMs: number): BreakerView {
    const { key, rules } = this.#parts;
    const totals = this.#window.totals(now);
    return viewOf(key, this.#circuit, totals, rules.openMs, { now, epochMs });
  }

  #isTripped(now: number): boolean {
    const { failures, calls } = this.#window.totals(now);
    if (!isTripped(this.#parts.rules, failures, calls)) return false;
    return opensForAll(this.#callers.spread(now));
  }

  #clearCounts(): void {
    this.#window.clear();
    this.#callers.restart();
  }

  #apply(event: CircuitEvent, now: number): void {
    this.adopt(stepCircuit(this.#parts.rules, this.#circuit, event), true, now);
  }
}

/** After its open time a circuit shows as half open, whether or not a call has requested the probe yet. */
export function viewOf(
  key: CircuitKey,
  circuit: Circuit,
  totals: CallTotals,
  openMs: number,
  { now, epochMs }: ViewTime,
): BreakerView {
  const isDue = isProbeDue(circuit, now);
  return {
    key,
    state: circuit.state === 'open' && isDue ? 'half_open' : circuit.state,
    cause: causeOf(circuit),
    failuresInWindow: totals.failures,
    callsInWindow: totals.calls,
    successesInHalfOpen: circuit.state === 'half_open' ? circuit.successes : 0,
    openedAt: circuit.state === 'closed' ? undefined : Math.round(circuit.openedAt + epochMs),
    nextProbeAt: nextProbeAt(circuit, openMs, { now, epochMs }),
  };
}

/** Hides circuits that are closed and had no call in the window, and closed circuits of single organisations. */
export function isWorthShowing({ key, state, callsInWindow }: BreakerView): boolean {
  return state !== 'closed' || (callsInWindow > 0 && key.organization === undefined);
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
