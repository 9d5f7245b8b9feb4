// Reports transitions that failures cause: a log entry and a count by the server that decided, and on every server a gauge
// of the circuits it knows to be open. Limits are logged where they are learnt, so a transition by a limit is not.

import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { CircuitTransition } from './breaker-board.ts';
import { circuitLabel } from './circuit-key.ts';

export type TransitionReporter = (transition: CircuitTransition) => void;

export function createTransitionReporter(log: Log, metrics: Metrics): TransitionReporter {
  const transitions = metrics.counter(
    'ai.circuit_breaker.transitions',
    'Circuit breaker transitions, by new state.',
    ['provider', 'region', 'to'],
  );
  const open = metrics.gauge(
    'ai.circuit_breaker.open',
    'Circuit breaker state: 1 while open or half open after failures, else 0.',
    ['provider', 'region'],
  );
  return (transition) => {
    const { key, to, cause } = transition;
    const region = circuitLabel(key);
    open.cell(key.provider, region).value = to === 'closed' || cause === 'limit' ? 0 : 1;
    if (!transition.isDecidedHere || cause === 'limit') return;
    transitions.cell(key.provider, region, to).value += 1;
    logTransition(log, transition);
  };
}

function logTransition(log: Log, { key, from, to, failures, calls }: CircuitTransition): void {
  const { provider } = key;
  const region = circuitLabel(key);
  log.write({
    level: to === 'open' ? 'warn' : 'info',
    type: 'capacity',
    message: `circuit of ${provider} in ${region} changed from ${from} to ${to}`,
    metadata: { event: 'circuit_breaker', provider, region, from, to, failures, calls },
  });
}
