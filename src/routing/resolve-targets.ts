// Resolves the model name of a request into targets, in the order to try them:
//
//   an alias of the configuration        its targets, by its strategy; only an alias moves between models
//   `provider/model`, or a model's name  the accounts of its one provider, in turn
//
// Only targets of the endpoint's format are returned, or all targets if no format is given. Each name is resolved once
// and the lists are frozen and reused: this runs for every request.

import { isModelNameTooLong } from '../kernel/model-name.ts';
import type { ProviderFormat } from '../kernel/provider-format.ts';
import { createFindClaim } from './claimed-model.ts';
import { type RoutableProvider, type Target, targetsOf } from './target.ts';
import { type AliasStrategy, createTurns, type LoadOf, type NextOrder } from './target-turns.ts';

/** Callers choose model names, so the cache is bounded. */
const MAX_CACHED_NAMES = 2000;

export type Resolution =
  /** Never empty. */
  | {
      readonly outcome: 'targets';
      readonly targets: readonly Target[];
      readonly isAlias: boolean;
      readonly isLenient?: boolean;
    }
  | { readonly outcome: 'unknown_model' }
  /** None of the name's providers has a key; `provider` is the first of them. */
  | { readonly outcome: 'no_key'; readonly provider: string }
  /** Targets exist, but none has the requested format. */
  | { readonly outcome: 'other_format'; readonly format: ProviderFormat };

export type ResolveTargets = (name: string, format?: ProviderFormat) => Resolution;

export type RoutableAlias = {
  readonly name: string;
  readonly strategy: AliasStrategy;
  readonly targets: readonly NamedTarget[];
  /** Shares of the targets under round-robin, by `provider/model`. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** Follow after all targets under every strategy, in order. */
  readonly fallbacks: readonly NamedTarget[];
  /** Fields without a counterpart at a target of another format are dropped instead of refused. */
  readonly translate?: 'strict' | 'lenient' | undefined;
};

type NamedTarget = { readonly provider: string; readonly model: string };

export type RoutingTable = {
  readonly providers: readonly RoutableProvider[];
  readonly aliases: readonly RoutableAlias[];
  /** Used for aliases with the strategy least-loaded. */
  readonly loadOf: LoadOf;
};

export function createResolveTargets(table: RoutingTable): ResolveTargets {
  const legsOf = createLegsOf(table.providers);
  const aliases = new Map(table.aliases.map((alias) => [alias.name, alias]));
  const ofAliases = new Map<ProviderFormat | undefined, Map<string, NextResolution>>();
  const ofModels = new Map<ProviderFormat | undefined, Map<string, NextResolution>>();
  let names = 0;

  function resolve(name: string, format: ProviderFormat | undefined): NextResolution {
    const alias = aliases.get(name);
    const legs = alias ? legsOf.alias(alias) : legsOf.model(name);
    const matching = legs.filter((leg) => format === undefined || leg.format === format);
    const callable = matching.filter(({ targets }) => targets.length > 0);
    if (callable.length === 0) return always(noTargets(legs, matching));
    const [own, fallbacks] = [false, true].map((isFallback) =>
      callable.filter((leg) => leg.isFallback === isFallback),
    );
    const route = {
      legs: (own ?? []).map(({ targets }) => targets),
      weights: (own ?? []).map(({ weight }) => weight),
      fallbacks: (fallbacks ?? []).map(({ targets }) => targets),
      loadOf: table.loadOf,
    };
    if (alias) {
      const isLenient = alias.translate === 'lenient';
      return inTurn(createTurns({ ...route, strategy: alias.strategy }), true, isLenient);
    }
    names += 1;
    return inTurn(createTurns({ ...route, strategy: 'ordered', firstTurn: names }), false);
  }

  return (name, format) => {
    if (isModelNameTooLong(name)) return UNKNOWN_MODEL;
    const cache = aliases.has(name) ? ofAliases : ofModels;
    const known = cache.get(format)?.get(name);
    if (known) return known();
    const next = resolve(name, format);
    store(cache, format, name, next);
    return next();
  };
}

const UNKNOWN_MODEL: Resolution = Object.freeze({ outcome: 'unknown_model' });

type NextResolution = () => Resolution;

/** One target of an alias, or a model's name: the accounts of one provider for one model. */
type Leg = {
  readonly provider: string;
  readonly format: ProviderFormat;
  readonly targets: readonly Target[];
  readonly isFallback: boolean;
  readonly weight: number;
};

function createLegsOf(providers: readonly RoutableProvider[]) {
  const findClaim = createFindClaim(providers);
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const leg = (provider: RoutableProvider, model: string, isFallback = false, weight = 1): Leg => ({
    provider: provider.name,
    format: provider.format,
    targets: targetsOf(provider, model),
    isFallback,
    weight,
  });
  const legs = (alias: RoutableAlias, isFallback: boolean): Leg[] =>
    (isFallback ? alias.fallbacks : alias.targets).flatMap(({ provider: name, model }) => {
      const provider = byName.get(name);
      const weight = alias.weights ? (alias.weights[`${name}/${model}`] ?? 0) : 1;
      return provider ? [leg(provider, model, isFallback, weight)] : [];
    });
  return {
    alias: (alias: RoutableAlias): Leg[] => [...legs(alias, false), ...legs(alias, true)],
    model(name: string): Leg[] {
      const claim = findClaim(name);
      return claim ? [leg(claim.provider, claim.model)] : [];
    },
  };
}

function noTargets(legs: readonly Leg[], matching: readonly Leg[]): Resolution {
  const [other] = legs;
  if (!other) return { outcome: 'unknown_model' };
  const [first] = matching;
  if (first) return { outcome: 'no_key', provider: first.provider };
  return { outcome: 'other_format', format: other.format };
}

function always(resolution: Resolution): NextResolution {
  Object.freeze(resolution);
  return () => resolution;
}

function inTurn(nextOrder: NextOrder, isAlias: boolean, isLenient = false): NextResolution {
  let last: Extract<Resolution, { outcome: 'targets' }> | undefined;
  return () => {
    const targets = nextOrder();
    if (last?.targets !== targets)
      last = Object.freeze({ outcome: 'targets', targets, isAlias, isLenient });
    return last;
  };
}

function store(
  cache: Map<ProviderFormat | undefined, Map<string, NextResolution>>,
  format: ProviderFormat | undefined,
  name: string,
  next: NextResolution,
): void {
  const ofFormat = cache.get(format) ?? new Map<string, NextResolution>();
  cache.set(format, ofFormat);
  if (ofFormat.size >= MAX_CACHED_NAMES) ofFormat.clear();
  ofFormat.set(name, next);
}
