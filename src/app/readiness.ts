// Health and readiness of the server. An unavailable dependency makes the server not ready, although it serves what it
// can; it is unhealthy only if it must not serve at all.

import type { Readiness } from '../http/routes/health.ts';
import type { Meter } from '../metering/prices/meter.ts';
import type { Store } from './open/open-store.ts';

export type ReadinessParts = {
  readonly meter: Pick<Meter, 'isReady'>;
  readonly store: Pick<Store, 'lockState'>;
  /** The broker and Redis, if configured. */
  readonly engines: readonly { readonly isUp: () => boolean }[];
};

export type ServerReadiness = Readiness & {
  /** The process ends. */
  stop(): void;
  /** An operator drains or resumes the server. */
  setDrained(isOn: boolean): void;
  /** Another process has this server's id. */
  setDisplaced(isOn: boolean): void;
};

export function createReadiness({ meter, store, engines }: ReadinessParts): ServerReadiness {
  let isStopping = false;
  let isDrained = false;
  let isDisplaced = false;

  function unhealthyReason(): 'draining' | 'unhealthy' | undefined {
    if (isStopping || isDrained) return 'draining';
    if (isDisplaced) return 'unhealthy';
    return meter.isReady() && store.lockState() !== 'conflict' ? undefined : 'unhealthy';
  }

  return {
    unhealthyReason,
    notReadyReason() {
      const areDependenciesUp =
        store.lockState() === 'locked' && engines.every((engine) => engine.isUp());
      return unhealthyReason() ?? (areDependenciesUp ? undefined : 'degraded');
    },
    stop() {
      isStopping = true;
    },
    setDrained(isOn) {
      isDrained = isOn;
    },
    setDisplaced(isOn) {
      isDisplaced = isOn;
    },
  };
}
