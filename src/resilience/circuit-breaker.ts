// The state machine of a circuit breaker, pure: an event and a circuit give the next circuit. It reads no clock and counts
// no calls (call-window.ts does). An event that has no exit in a state changes nothing, because outcomes of calls that
// began before a transition arrive after it.
//
//   closed      all calls pass                → open       too many of them failed, or the provider announced a limit
//   open        no call passes                → half_open  the time is over and a call requests the probe
//   half_open   one probe at a time passes    → open       the probe failed, or met a new limit
//                                             → closed     enough probes in a row succeeded
//   open, half_open                           → closed     an operator resets the circuit or clears the limit
//
// Two causes open a circuit. Failures open it for a fixed time, and several successful probes close it. A
// limit opens it until the timestamp that the provider announced, and one successful probe closes it; a failed probe is
// repeated soon, until the failures in the window open the circuit by themselves. A limit changes nothing in a circuit that
// failures opened, because a probe goes first there too.
//
// A probe has a lease: when its server dies, the next request for a pass is given the probe.

import type { BreakerCause, BreakerState, CallHealth } from './breaker-board.ts';

/** The rules by which a circuit opens and closes. */
export type BreakerRules = {
  /** The failures in the window that open the circuit, */
  readonly failures: number;
  readonly windowMs: number;
  /** provided they are at least this fraction of the calls in the window. */
  readonly ratio: number;
  readonly openMs: number;
  readonly successesToClose: number;
};

/** The rules of a breaker without options. */
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
      readonly kind: 'probe_requested';
      readonly at: number;
      readonly id: string;
      readonly leaseMs: number;
    }
  | {
      readonly kind: 'probe_ended';
      readonly at: number;
      readonly id: string;
      readonly health: CallHealth;
      /** Whether the failures in the window are enough to open the circuit. */
      readonly isTripped: boolean;
    }
  | { readonly kind: 'limited'; readonly at: number; readonly until: number }
  | { readonly kind: 'limit_cleared' }
  | { readonly kind: 'reset' };

/** The states that each event may lead to; an event without an entry leaves the state unchanged. */
export const CIRCUIT_EXITS: Readonly<
  Record<BreakerState, Partial<Record<CircuitEvent['kind'], readonly BreakerState[]>>>
> = Object.freeze({
  closed: { tripped: ['open'], limited: ['open'] },
  open: { probe_requested: ['half_open'], limit_cleared: ['closed'], reset: ['closed'] },
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
    case 'probe_requested':
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

/** Whether a limit keeps the circuit open until then or later. */
export function isLimitedUntil(circuit: Circuit, until: number): boolean {
  return circuit.state === 'open' && circuit.cause === 'limit' && circuit.probeAt >= until;
}

/** Whether the next request for a pass is given the probe. */
export function isProbeDue(circuit: Circuit, now: number): boolean {
  if (circuit.state === 'closed') return false;
  if (circuit.state === 'open') return circuit.probeAt <= now;
  return circuit.probe === undefined || circuit.probe.until <= now;
}

export function isProbedBy(circuit: Circuit, id: string): boolean {
  return circuit.state === 'half_open' && circuit.probe?.id === id;
}

/** When a refused call may try again; the end of a probe is not known in advance. */
export function retryAfterMs(circuit: Circuit, now: number): number {
  if (circuit.state !== 'open') return PROBE_WAIT_MS;
  return Math.max(1, Math.ceil(circuit.probeAt - now));
}

/** The delay before the next probe when the probe after a limit failed for another reason. */
export const PROBE_RETRY_MS = 1000;
const PROBE_WAIT_MS = 1000;

function openFrom(rules: BreakerRules, at: number): Circuit {
  return { state: 'open', cause: 'failures', openedAt: at, probeAt: at + rules.openMs };
}

type Event<Kind extends CircuitEvent['kind']> = Extract<CircuitEvent, { readonly kind: Kind }>;

function probing(circuit: Circuit, { at, id, leaseMs }: Event<'probe_requested'>): Circuit {
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
  if (circuit.state !== 'half_open' || !isProbedBy(circuit, id)) return circuit;
  const isLimit = circuit.cause === 'limit';
  if (health === 'failure' && isLimit && !isEnough)
    return {
      state: 'open',
      cause: 'limit',
      openedAt: circuit.openedAt,
      probeAt: at + PROBE_RETRY_MS,
    };
  if (health === 'failure') return openFrom(rules, at);
  const successes = circuit.successes + (health === 'success' ? 1 : 0);
  if (successes >= (isLimit ? 1 : rules.successesToClose)) return CLOSED;
  return { ...circuit, successes, probe: undefined };
}

/** The end only moves later. A probe in flight is given up: it has met the new limit, or will. */
function limited(circuit: Circuit, { at, until }: Event<'limited'>): Circuit {
  if (until <= at || causeOf(circuit) === 'failures') return circuit;
  if (isLimitedUntil(circuit, until)) return circuit;
  const openedAt = circuit.state === 'closed' ? at : circuit.openedAt;
  return { state: 'open', cause: 'limit', openedAt, probeAt: until };
}
