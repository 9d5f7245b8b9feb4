// The circuit breaker of one provider and region, as a pure machine: what happens to it comes in as an event, the
// circuit as it is then goes out. It keeps no time and counts no calls (circuit-breaker-window.ts does); an event that
// means nothing in a state changes nothing, because news of calls begun in better times arrive late.
//
//   closed      calls go through                     → open       too many of them failed, or a limit was met
//   open        nothing goes through for a while     → half_open  its time is over and a probe is asked for
//   half_open   one probe at a time goes through     → open       a probe failed, or met a new limit
//                                                    → closed     enough probes in a row went well
//   open, half_open                                  → closed     an operator resets it, or takes the limit away
//
// It is open by one of two causes. Failures hold it for a fixed time and take several good probes to forget. A limit
// holds it until the moment the provider has named, and is over with the first good probe; a probe that fails then is
// soon followed by another, until the failures are enough to open it for themselves. A circuit that failures have
// opened is probed anyway, so a limit changes nothing in it.
//
// A probe has a lease: when its server dies, the next one that asks is given the probe.

import type { BreakerCause, BreakerState, CallHealth } from './breaker-board.ts';

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
  | {
      readonly state: 'open';
      readonly cause: BreakerCause;
      readonly openedAt: number;
      readonly probeAt: number;
    }
  | {
      readonly state: 'half_open';
      readonly cause: BreakerCause;
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
      /** Whether the failures of the window are enough to open it. */
      readonly isTripped: boolean;
    }
  | { readonly kind: 'limited'; readonly at: number; readonly until: number }
  | { readonly kind: 'limit_cleared' }
  | { readonly kind: 'reset' };

/** Where each event may lead from each state; what is not here leaves the state as it is. */
export const CIRCUIT_EXITS: Readonly<
  Record<BreakerState, Partial<Record<CircuitEvent['kind'], readonly BreakerState[]>>>
> = Object.freeze({
  closed: { tripped: ['open'], limited: ['open'] },
  open: { probe_asked: ['half_open'], limit_cleared: ['closed'], reset: ['closed'] },
  half_open: {
    probe_ended: ['open', 'closed'],
    limited: ['open'],
    limit_cleared: ['closed'],
    reset: ['closed'],
  },
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
    case 'limited':
      return limited(circuit, event);
    case 'limit_cleared':
      return causeOf(circuit) === 'limit' ? CLOSED : circuit;
    case 'reset':
      return CLOSED;
  }
}

export function isTripped(rules: BreakerRules, failures: number, calls: number): boolean {
  return failures >= rules.failures && failures >= rules.ratio * calls;
}

export function causeOf(circuit: Circuit): BreakerCause | undefined {
  return circuit.state === 'closed' ? undefined : circuit.cause;
}

/** Whether a limit holds it already until then, or longer. */
export function isLimitedUntil(circuit: Circuit, until: number): boolean {
  return circuit.state === 'open' && circuit.cause === 'limit' && circuit.probeAt >= until;
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
  if (circuit.state !== 'open') return PROBING_MS;
  return Math.max(1, Math.ceil(circuit.probeAt - now));
}

/** After a limit, a probe that failed for another reason is followed by the next so much later. */
export const PROBE_AGAIN_MS = 1000;
const PROBING_MS = 1000;

function openFrom(rules: BreakerRules, at: number): Circuit {
  return { state: 'open', cause: 'failures', openedAt: at, probeAt: at + rules.openMs };
}

type Event<Kind extends CircuitEvent['kind']> = Extract<CircuitEvent, { readonly kind: Kind }>;

function probing(circuit: Circuit, { at, id, leaseMs }: Event<'probe_asked'>): Circuit {
  if (circuit.state === 'closed') return circuit;
  const successes = circuit.state === 'half_open' ? circuit.successes : 0;
  const probe = { id, until: at + leaseMs };
  const { cause, openedAt } = circuit;
  return { state: 'half_open', cause, openedAt, successes, probe };
}

function afterProbe(
  rules: BreakerRules,
  circuit: Circuit,
  { at, id, health, isTripped: isEnough }: Event<'probe_ended'>,
): Circuit {
  if (circuit.state !== 'half_open' || !isProbeOf(circuit, id)) return circuit;
  const isLimit = circuit.cause === 'limit';
  if (health === 'failure' && isLimit && !isEnough)
    return {
      state: 'open',
      cause: 'limit',
      openedAt: circuit.openedAt,
      probeAt: at + PROBE_AGAIN_MS,
    };
  if (health === 'failure') return openFrom(rules, at);
  const successes = circuit.successes + (health === 'success' ? 1 : 0);
  if (successes >= (isLimit ? 1 : rules.successesToClose)) return CLOSED;
  return { ...circuit, successes, probe: undefined };
}

/** It only ever moves later; whoever probes has then met the new limit, or will. */
function limited(circuit: Circuit, { at, until }: Event<'limited'>): Circuit {
  if (until <= at || causeOf(circuit) === 'failures') return circuit;
  if (isLimitedUntil(circuit, until)) return circuit;
  const openedAt = circuit.state === 'closed' ? at : circuit.openedAt;
  return { state: 'open', cause: 'limit', openedAt, probeAt: until };
}
