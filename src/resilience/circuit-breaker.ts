// The circuit breaker of one provider and region, as a pure machine: what happens to it comes in as an event, the
// circuit as it is then goes out. It keeps no time and counts no calls (circuit-breaker-window.ts does); an event that
// means nothing in a state changes nothing, because news of calls begun in better times arrive late.
//
//   closed      calls go through                     → open       too many of them failed
//   open        nothing goes through for a while     → half_open  its time is over and a probe is asked for
//   half_open   one probe at a time goes through     → open       a probe failed
//                                                    → closed     enough probes in a row went well
//   open, half_open                                  → closed     an operator resets it
//
// A probe has a lease: when its server dies, the next one that asks is given the probe.

import type { BreakerState, CallHealth } from './breaker-board.ts';

export type BreakerRules = {
  /** So many failures open it, */
  readonly failures: number;
  /** within this time, */
  readonly windowMs: number;
  /** if they are at least this part of the calls in it. */
  readonly ratio: number;
  readonly openMs: number;
  readonly successesToClose: number;
};

export const BREAKER_DEFAULTS: BreakerRules = Object.freeze({
  failures: 5,
  windowMs: 60_000,
  ratio: 0.5,
  openMs: 60_000,
  successesToClose: 2,
});

export type Probe = { readonly id: string; readonly until: number };

export type Circuit =
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly openedAt: number; readonly probeAt: number }
  | {
      readonly state: 'half_open';
      readonly openedAt: number;
      readonly successes: number;
      readonly probe: Probe | undefined;
    };

export type CircuitEvent =
  | { readonly kind: 'tripped'; readonly at: number }
  | {
      readonly kind: 'probe_asked';
      readonly at: number;
      readonly id: string;
      readonly leaseMs: number;
    }
  | {
      readonly kind: 'probe_ended';
      readonly at: number;
      readonly id: string;
      readonly health: CallHealth;
    }
  | { readonly kind: 'reset' };

/** Where each event may lead from each state; what is not here leaves the state as it is. */
export const CIRCUIT_EXITS: Readonly<
  Record<BreakerState, Partial<Record<CircuitEvent['kind'], readonly BreakerState[]>>>
> = Object.freeze({
  closed: { tripped: ['open'] },
  open: { probe_asked: ['half_open'], reset: ['closed'] },
  half_open: { probe_ended: ['open', 'closed'], reset: ['closed'] },
});

export const CLOSED: Circuit = Object.freeze({ state: 'closed' });

export function stepCircuit(rules: BreakerRules, circuit: Circuit, event: CircuitEvent): Circuit {
  switch (event.kind) {
    case 'tripped':
      return circuit.state === 'closed' ? openFrom(rules, event.at) : circuit;
    case 'probe_asked':
      return isProbeDue(circuit, event.at) ? probing(circuit, event) : circuit;
    case 'probe_ended':
      return afterProbe(rules, circuit, event);
    case 'reset':
      return CLOSED;
  }
}

export function isTripped(rules: BreakerRules, failures: number, calls: number): boolean {
  return failures >= rules.failures && failures >= rules.ratio * calls;
}

/** Whether the next one who asks is given the probe. */
export function isProbeDue(circuit: Circuit, now: number): boolean {
  if (circuit.state === 'closed') return false;
  if (circuit.state === 'open') return circuit.probeAt <= now;
  return circuit.probe === undefined || circuit.probe.until <= now;
}

export function isProbeOf(circuit: Circuit, id: string): boolean {
  return circuit.state === 'half_open' && circuit.probe?.id === id;
}

/** How long one who was refused may as well wait. Nobody knows when a probe ends. */
export function refusedForMs(circuit: Circuit, now: number): number {
  return circuit.state === 'open' ? Math.max(1, circuit.probeAt - now) : PROBING_MS;
}

const PROBING_MS = 1000;

function openFrom(rules: BreakerRules, at: number): Circuit {
  return { state: 'open', openedAt: at, probeAt: at + rules.openMs };
}

type Event<Kind extends CircuitEvent['kind']> = Extract<CircuitEvent, { readonly kind: Kind }>;

function probing(circuit: Circuit, { at, id, leaseMs }: Event<'probe_asked'>): Circuit {
  if (circuit.state === 'closed') return circuit;
  const successes = circuit.state === 'half_open' ? circuit.successes : 0;
  const probe = { id, until: at + leaseMs };
  return { state: 'half_open', openedAt: circuit.openedAt, successes, probe };
}

function afterProbe(
  rules: BreakerRules,
  circuit: Circuit,
  { at, id, health }: Event<'probe_ended'>,
): Circuit {
  if (circuit.state !== 'half_open' || !isProbeOf(circuit, id)) return circuit;
  if (health === 'failure') return openFrom(rules, at);
  const successes = circuit.successes + (health === 'success' ? 1 : 0);
  if (successes >= rules.successesToClose) return CLOSED;
  return { ...circuit, successes, probe: undefined };
}
