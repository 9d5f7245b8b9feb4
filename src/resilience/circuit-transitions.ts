// Reports transitions that failures cause: a log entry and a count by the server that decided, and on every server a
// gauge of the circuits it knows to be open. Limits are logged where they are learnt, so a transition caused by a limit
// is not logged here. Circuits of single organisations are logged and counted without their name, because metrics have
// no label for organisations.

import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { CircuitTransition } from './breaker-board.ts';
import { circuitLabel, regionLabel } from './circuit-key.ts';

export type TransitionReporter = (transition: CircuitTransition) => void;

export function createTransitionReporter(log: Log, metrics: Metrics): TransitionReporter {
  const transitions = metrics.counter(
    'ai.circuit_breaker.transitions',
    'Circuit breaker transitions, by new state.',
    ['provider', 'region', 'to'],
  );
  const ownTransitions = metrics.counter(
    'ai.circuit_breaker.organization_transitions',
    "Transitions of single organisations' circuits, by new state.",
    ['provider', 'region', 'to'],
  );
  const open = metrics.gauge(
    'ai.circuit_breaker.open',
    'Circuit breaker state: 1 while open or half open after failures, else 0.',
    ['provider', 'region'],
  );
  return (transition) => {
    const { key, to, cause } = transition;
    if (key.organization !== undefined) {
      if (!transition.isDecidedHere) return;
      ownTransitions.cell(key.provider, regionLabel(key), to).value += 1;
      return logTransition(log, transition);
    }
    const region = circuitLabel(key);
    open.cell(key.provider, region).value = to === 'closed' || cause === 'limit' ? 0 : 1;
    if (!transition.isDecidedHere || cause === 'limit') return;
    transitions.cell(key.provider, region, to).value += 1;
    logTransition(log, transition);
  };
}

function logTransition(log: Log, { key, from, to, failures, calls }: CircuitTransition): void {
  const { provider, organization } = key;
  const region = organization === undefined ? circuitLabel(key) : regionLabel(key);
  const owner = organization === undefined ? {} : { organizationId: organization };
  const subject = organization === undefined ? '' : ' of one organisation';
  log.write({
    level: to === 'open' ? 'warn' : 'info',
    type: 'capacity',
    message: `circuit of ${provider} in ${region}${subject} changed from ${from} to ${to}`,
    metadata: { event: 'circuit_breaker', provider, region, ...owner, from, to, failures, calls },
  });
}
