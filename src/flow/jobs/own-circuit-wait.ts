// How long a job waits for the own circuit of its organisation. Dispatcher and worker ask before they take a permit, so
// that the jobs of an organisation that fails alone use neither the provider's limit nor a slot while they wait.

import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import { type CircuitKey, organizationCircuit } from '../../resilience/circuit-key.ts';

/** In milliseconds; 0 if an account of the provider may be called. */
export type OwnCircuitWait = (provider: string, organizationId: string) => number;

export function createOwnCircuitWait(
  breakers: Pick<BreakerBoard, 'hasOpen' | 'openForMs'>,
  accountsOf: (provider: string) => readonly CircuitKey[],
): OwnCircuitWait {
  return (provider, organizationId) => {
    if (!breakers.hasOpen()) return 0;
    const waits = accountsOf(provider).map((account) =>
      breakers.openForMs(organizationCircuit(account, organizationId)),
    );
    return waits.length === 0 ? 0 : Math.min(...waits);
  };
}
