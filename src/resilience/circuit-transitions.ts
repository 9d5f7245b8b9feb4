// Tells people when failures move a circuit: one line in the log and one count, by the server that decided it; and a
// gauge on every server of which circuits it knows to be other than closed. A limit is no trouble of the circuit's and
// is told where limits are.

import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { CircuitTransition } from './breaker-board.ts';

export type TransitionReporter = (move: CircuitTransition) => void;

export function createTransitionReporter(log: Log, metrics: Metrics): TransitionReporter {
  const transitions = metrics.counter(
    'ai.circuit_breaker.transitions',
    'Moves of circuits, by the state they moved to.',
    ['provider', 'region', 'to'],
  );
  const open = metrics.gauge(
    'ai.circuit_breaker.open',
    'Whether the circuit holds calls back: 1 while it is open or half open after failures.',
    ['provider', 'region'],
  );
  return (move) => {
    const { provider, region, to, cause } = move;
    open.cell(provider, region).value = to === 'closed' || cause === 'limit' ? 0 : 1;
    if (!move.isDecidedHere || cause === 'limit') return;
    transitions.cell(provider, region, to).value += 1;
    tell(log, move);
  };
}

function tell(log: Log, { provider, region, from, to, failures, calls }: CircuitTransition): void {
  log.write({
    level: to === 'open' ? 'warn' : 'info',
    type: 'capacity',
    message: `the circuit of ${provider} in ${region} went from ${from} to ${to}`,
    metadata: { event: 'circuit_breaker', provider, region, from, to, failures, calls },
  });
}
