// The capacity of providers in words and figures: pure.

import type { Breaker, ProviderLimit, RegionCapacity } from '../../../api/capacity.ts';
import type { State } from '../../ui/status.tsx';

const FORECAST_MS = 60_000;
const SCARCE = 0.1;

/** How a limit became known. */
export const LIMIT_KINDS: Readonly<Record<ProviderLimit['kind'], string>> = {
  learnt: 'learnt from an answer',
  credit: 'credit used up',
  reported: 'reported by a caller',
  manual: 'set by an operator',
  throttled: 'throttled by the provider',
};

export type RegionState = { readonly state: State; readonly word: string };

export function regionState(region: RegionCapacity): RegionState {
  if (region.limit.isActive) return { state: 'bad', word: 'limited' };
  if (region.breaker === 'open') return { state: 'bad', word: 'circuit open' };
  if (region.breaker === 'half_open') return { state: 'degraded', word: 'probing' };
  if (region.limits.length > 0) return { state: 'degraded', word: 'partly limited' };
  if (region.exhaustedAt !== null || (region.headroom?.remainingRatio ?? 1) < SCARCE)
    return { state: 'degraded', word: 'scarce' };
  return { state: 'good', word: 'available' };
}

/** The share of the headroom that is left in a minute at the present rate; undefined if it does not run out. */
export function forecastRatio(region: RegionCapacity, now: number): number | undefined {
  const { headroom, exhaustedAt } = region;
  if (!headroom || exhaustedAt === null) return undefined;
  const leftMs = exhaustedAt - now;
  return leftMs <= 0 ? 0 : Math.max(0, headroom.remainingRatio * (1 - FORECAST_MS / leftMs));
}

/** Whether the label of a limit or a circuit belongs to a region: `us-east`, `us-east/second`, `us-east:model`. */
export function isOfRegion(
  scope: { readonly provider: string; readonly region: string },
  region: Pick<RegionCapacity, 'provider' | 'region'>,
): boolean {
  return scope.provider === region.provider && scope.region.split(/[/@:]/, 1)[0] === region.region;
}

/** The whole region's limit that ends first, for the ring; else the first limit of a part. */
export function shownLimit(
  region: RegionCapacity,
  limits: readonly ProviderLimit[],
): ProviderLimit | undefined {
  const own = limits.filter((limit) => isOfRegion(limit, region));
  const whole = own.filter(({ model }) => model === null);
  return (whole.length > 0 ? whole : own).toSorted((a, b) => a.resetAt - b.resetAt)[0];
}

/** The circuit on the card of a region: an open or probing one before a closed one. */
export function shownCircuit(
  region: RegionCapacity,
  breakers: readonly Breaker[],
): Breaker | undefined {
  const own = breakers.filter((breaker) => isOfRegion(breaker, region));
  const whole = own.filter((each) => each.organization === null && !each.region.includes(':'));
  return whole.find(({ state }) => state !== 'closed') ?? whole[0] ?? own[0];
}

/** The path of a limit or a breaker: labels contain slashes and colons. */
export function scopePath(scope: { readonly provider: string; readonly region: string }): string {
  return `${encodeURIComponent(scope.provider)}/${encodeURIComponent(scope.region)}`;
}
