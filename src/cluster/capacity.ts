// The capacity of each provider and region: its limits, its circuit, the scarcest headroom, and a forecast of its
// exhaustion. Pure, from facts that this server knows without asking a provider.

import { type CircuitKey, regionLabel } from '../resilience/circuit-key.ts';

export type LimitFact = CircuitKey & { readonly resetAt: number; readonly kind: string };

export type CircuitFact = { readonly key: CircuitKey; readonly state: 'open' | 'half_open' };

export type HeadroomFact = {
  readonly key: CircuitKey;
  /** From 0 to 1. */
  readonly remainingRatio: number;
  readonly readAt: number;
  /** Undefined if the reset comes first at the current rate. */
  readonly exhaustedAt: number | undefined;
};

export type CapacityFacts = {
  /** The accounts that can be called. */
  readonly accounts: readonly CircuitKey[];
  readonly limits: readonly LimitFact[];
  readonly circuits: readonly CircuitFact[];
  readonly headroom: readonly HeadroomFact[];
};

export type RegionCapacity = {
  readonly provider: string;
  readonly region: string;
  readonly accounts: number;
  /** Active: every account of the region is limited. `resetAt` is the first reset. */
  readonly limit: { readonly isActive: boolean; readonly resetAt: number | null };
  /** The limits in force, of an account or of one model. */
  readonly limits: readonly {
    readonly account: string;
    readonly model: string | null;
    readonly resetAt: number;
    readonly kind: string;
  }[];
  /** Of all organisations and models; `open` if the circuit of every account is. */
  readonly breaker: 'closed' | 'open' | 'half_open';
  /** The scarcest reading; null without one. */
  readonly headroom: {
    readonly account: string;
    readonly model: string | null;
    readonly remainingRatio: number;
    readonly readAt: number;
  } | null;
  readonly exhaustedAt: number | null;
};

export function capacityOf(facts: CapacityFacts): readonly RegionCapacity[] {
  const regions = Map.groupBy(facts.accounts, ({ provider, region }) => `${provider}\n${region}`);
  return [...regions.values()].map((accounts) => regionCapacity(accounts, facts));
}

function regionCapacity(accounts: readonly CircuitKey[], facts: CapacityFacts): RegionCapacity {
  const { provider = '', region = '' } = accounts[0] ?? {};
  const isHere = (key: CircuitKey) => key.provider === provider && key.region === region;
  const limits = facts.limits.filter(isHere);
  const whole = limits.filter(({ model }) => model === undefined);
  const isActive = accounts.every((account) =>
    whole.some((limit) => isSameAccount(limit, account)),
  );
  const resets = isActive ? whole.map(({ resetAt }) => resetAt) : [];
  const readings = facts.headroom.filter(({ key }) => isHere(key));
  const scarcest = readings.toSorted((a, b) => a.remainingRatio - b.remainingRatio)[0];
  const forecasts = readings.flatMap(({ exhaustedAt }) => exhaustedAt ?? []);
  return {
    provider,
    region,
    accounts: accounts.length,
    limit: { isActive, resetAt: resets.length > 0 ? Math.min(...resets) : null },
    limits: limits.map(({ account = 'default', model = null, resetAt, kind }) => ({
      account,
      model,
      resetAt,
      kind,
    })),
    breaker: breakerOf(accounts, facts.circuits),
    headroom: scarcest
      ? {
          account: scarcest.key.account ?? 'default',
          model: scarcest.key.model ?? null,
          remainingRatio: scarcest.remainingRatio,
          readAt: scarcest.readAt,
        }
      : null,
    exhaustedAt: forecasts.length > 0 ? Math.min(...forecasts) : null,
  };
}

function breakerOf(
  accounts: readonly CircuitKey[],
  circuits: readonly CircuitFact[],
): RegionCapacity['breaker'] {
  const states = accounts.map(
    (account) =>
      circuits.find(
        ({ key }) =>
          key.model === undefined &&
          key.organization === undefined &&
          key.provider === account.provider &&
          isSameAccount(key, account),
      )?.state,
  );
  if (states.some((state) => state === undefined)) return 'closed';
  return states.some((state) => state === 'half_open') ? 'half_open' : 'open';
}

function isSameAccount(one: CircuitKey, other: CircuitKey): boolean {
  return regionLabel(one) === regionLabel(other);
}
