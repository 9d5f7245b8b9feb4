// From the name in a request to the targets that may serve it, in the order to try them:
//
//   an alias of the configuration        its targets, by its strategy; only an alias moves between models
//   `provider/model`, or a model's name  the accounts of its one provider, in turn
//
// Only targets that speak the endpoint's format are given; without a format, all. What a name means is worked out
// once, and the list for a name with one target is the same frozen one every time: this runs for every request.

import type { ProviderFormat } from '../kernel/provider-format.ts';
import { createFindClaim } from './claimed-model.ts';
import { type RoutableProvider, type Target, targetsOf } from './target.ts';
import { type AliasStrategy, createTurns, type LoadOf, type NextOrder } from './target-turns.ts';

/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_NAMES = 2000;

export type Resolution =
  /** At least one target. */
  | { readonly outcome: 'targets'; readonly targets: readonly Target[]; readonly isAlias: boolean }
  | { readonly outcome: 'unknown_model' }
  /** None of its providers has a key; the first of them is named. */
  | { readonly outcome: 'no_key'; readonly provider: string }
  /** There are targets, but none speaks the format that was asked for. */
  | { readonly outcome: 'other_format' };

export type ResolveTargets = (name: string, format?: ProviderFormat) => Resolution;

export type RoutableAlias = {
  readonly name: string;
  readonly strategy: AliasStrategy;
  readonly targets: readonly { readonly provider: string; readonly model: string }[];
};

export type RoutingTable = {
  readonly providers: readonly RoutableProvider[];
  readonly aliases: readonly RoutableAlias[];
  /** Asked for aliases that go by load. */
  readonly loadOf: LoadOf;
};

export function createResolveTargets(table: RoutingTable): ResolveTargets {
  const legsOf = createLegsOf(table.providers);
  const aliases = new Map(table.aliases.map((alias) => [alias.name, alias]));
  const ofAliases = new Map<ProviderFormat | undefined, Map<string, NextResolution>>();
  const ofModels = new Map<ProviderFormat | undefined, Map<string, NextResolution>>();
  let names = 0;

  function understand(name: string, format: ProviderFormat | undefined): NextResolution {
    const alias = aliases.get(name);
    const legs = alias ? legsOf.alias(alias) : legsOf.model(name);
    const speaking = legs.filter((leg) => format === undefined || leg.format === format);
    const callable = speaking.map((leg) => leg.targets).filter((targets) => targets.length > 0);
    if (callable.length === 0) return always(whyNone(legs, speaking));
    if (alias) return inTurn(createTurns(alias.strategy, callable, table.loadOf), true);
    names += 1;
    return inTurn(createTurns('ordered', callable, table.loadOf, names), false);
  }

  return (name, format) => {
    const memory = aliases.has(name) ? ofAliases : ofModels;
    const known = memory.get(format)?.get(name);
    if (known) return known();
    const next = understand(name, format);
    remember(memory, format, name, next);
    return next();
  };
}

type NextResolution = () => Resolution;

/** One target of an alias, or what a model's name means: the accounts of one provider. */
type Leg = {
  readonly provider: string;
  readonly format: ProviderFormat;
  readonly targets: readonly Target[];
};

function createLegsOf(providers: readonly RoutableProvider[]) {
  const findClaim = createFindClaim(providers);
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const leg = (provider: RoutableProvider | undefined, model: string): Leg[] =>
    provider
      ? [{ provider: provider.name, format: provider.format, targets: targetsOf(provider, model) }]
      : [];
  return {
    alias: (alias: RoutableAlias): Leg[] =>
      alias.targets.flatMap(({ provider, model }) => leg(byName.get(provider), model)),
    model(name: string): Leg[] {
      const claim = findClaim(name);
      return claim ? leg(claim.provider, claim.model) : [];
    },
  };
}

function whyNone(legs: readonly Leg[], speaking: readonly Leg[]): Resolution {
  if (legs.length === 0) return { outcome: 'unknown_model' };
  const [first] = speaking;
  return first ? { outcome: 'no_key', provider: first.provider } : { outcome: 'other_format' };
}

function always(resolution: Resolution): NextResolution {
  Object.freeze(resolution);
  return () => resolution;
}

function inTurn(nextOrder: NextOrder, isAlias: boolean): NextResolution {
  let last: Extract<Resolution, { outcome: 'targets' }> | undefined;
  return () => {
    const targets = nextOrder();
    if (last?.targets !== targets) last = Object.freeze({ outcome: 'targets', targets, isAlias });
    return last;
  };
}

function remember(
  memory: Map<ProviderFormat | undefined, Map<string, NextResolution>>,
  format: ProviderFormat | undefined,
  name: string,
  next: NextResolution,
): void {
  const ofFormat = memory.get(format) ?? new Map<string, NextResolution>();
  memory.set(format, ofFormat);
  if (ofFormat.size >= REMEMBERED_NAMES) ofFormat.clear();
  ofFormat.set(name, next);
}
