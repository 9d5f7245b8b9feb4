// What an operator does with circuit breakers by hand: looks at them, and closes one when the provider is known to be
// well again. Every place that is configured is shown, also where nothing was ever called.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { BreakerBoard, BreakerView } from '../resilience/breaker-board.ts';
import type { Auditor, Operator } from './administer-audit.ts';

export type BreakerPlace = { readonly provider: string; readonly region: string };

export type AdministerBreakers = {
  list(): Promise<readonly BreakerView[]>;
  /** Throws NOT_FOUND for a place that is not configured; one that is closed already begins to count anew. */
  reset(operator: Operator, place: BreakerPlace): Promise<void>;
};

export type AdministerBreakersParts = {
  readonly breakers: Pick<BreakerBoard, 'list' | 'reset'>;
  readonly auditor: Auditor;
  /** The providers that are configured, in each of their regions. */
  readonly places: readonly BreakerPlace[];
};

export function administerBreakers(parts: AdministerBreakersParts): AdministerBreakers {
  const { breakers, auditor, places } = parts;
  return {
    async list() {
      const known = await breakers.list();
      const quiet = places.filter((place) => !known.some((view) => isSame(view, place)));
      return [...known, ...quiet.map(asQuiet)].toSorted(byName);
    },
    async reset(operator, place) {
      if (!places.some((each) => isSame(each, place)))
        throw new SpillwayError('NOT_FOUND', 'no such circuit');
      const target = `${place.provider}/${place.region}`;
      await auditor.record(operator, { action: 'breaker.reset', target });
      await breakers.reset(place.provider, place.region);
    },
  };
}

function isSame(one: BreakerPlace, other: BreakerPlace): boolean {
  return one.provider === other.provider && one.region === other.region;
}

function asQuiet({ provider, region }: BreakerPlace): BreakerView {
  return {
    provider,
    region,
    state: 'closed',
    cause: undefined,
    failuresInWindow: 0,
    callsInWindow: 0,
    successesInHalfOpen: 0,
    openedAt: undefined,
    nextProbeAt: undefined,
  };
}

function byName(one: BreakerPlace, other: BreakerPlace): number {
  return one.provider.localeCompare(other.provider) || one.region.localeCompare(other.region);
}
