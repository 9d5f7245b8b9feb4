// Health and readiness of the server. An unavailable dependency makes the server not ready, although it serves what it
// can; it is unhealthy only if it must not serve at all.

import type { Readiness } from '../http/routes/health.ts';
import type { Meter } from '../metering/prices/meter.ts';
import type { Store } from './open/open-store.ts';

export type ReadinessParts = {
  readonly meter: Meter;
  readonly store: Pick<Store, 'lockState'>;
  /** The broker and Redis, if configured. */
  readonly engines: readonly { readonly isUp: () => boolean }[];
};

export function createReadiness({
  meter,
  store,
  engines,
}: ReadinessParts): Readiness & { drain(): void } {
  let isDraining = false;

  function unhealthyReason(): 'draining' | 'unhealthy' | undefined {
    if (isDraining) return 'draining';
    return meter.isReady() && store.lockState() !== 'conflict' ? undefined : 'unhealthy';
  }

  return {
    unhealthyReason,
    notReadyReason() {
      const areDependenciesUp =
        store.lockState() === 'locked' && engines.every((engine) => engine.isUp());
      return unhealthyReason() ?? (areDependenciesUp ? undefined : 'degraded');
    },
    drain() {
      isDraining = true;
    },
  };
}
