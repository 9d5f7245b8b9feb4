// The order of a name's targets for each call. An alias has legs (its configured targets), and each leg has one target
// per account of its provider. The accounts of a leg take turns under every strategy:
//
//   ordered        the legs as configured
//   round-robin    starts one leg further each time, the others follow in order; with weights, each leg starts in proportion to its weight
//   least-loaded   all targets by their calls in flight; equal loads keep the configured order
//
// Fallbacks are legs that follow after all others, in the configured order, under every strategy.
//
// Repeated orders are built once and frozen; only least-loaded builds a list per call.

import { startsByWeight } from './start-shares.ts';
import type { Target } from './target.ts';

export const ALIAS_STRATEGIES = ['ordered', 'round-robin', 'least-loaded'] as const;
export type AliasStrategy = (typeof ALIAS_STRATEGIES)[number];

/** The load of a target: 0 is idle. */
export type LoadOf = (target: Target) => number;

/** Every call advances the turn. */
export type NextOrder = () => readonly Target[];

/** Above this number of turns orders are not cached: the same combination of accounts rarely repeats. */
const MAX_KEPT_ORDERS = 256;

type Legs = readonly (readonly Target[])[];

export type Route = {
  readonly strategy: AliasStrategy;
  readonly legs: Legs;
  /** The share of each leg under round-robin; absent: equal shares. */
  readonly weights?: readonly number[];
  readonly fallbacks: Legs;
  readonly loadOf: LoadOf;
  /** The first turn; it differs per name, so that different names start with different accounts. */
  readonly firstTurn?: number;
};

export function createTurns({
  strategy,
  legs,
  weights = [],
  fallbacks,
  loadOf,
  firstTurn = 0,
}: Route): NextOrder {
  const starts = strategy === 'round-robin' ? startsByWeight(legs.length, weights) : [0];
  const accountTurns = [...legs, ...fallbacks]
    .map((leg) => leg.length)
    .reduce(leastCommonMultiple, 1);
  const turns = accountTurns * starts.length;
  const ownTargets = legs.reduce((sum, leg) => sum + leg.length, 0);
  const kept: (readonly Target[])[] = [];
  let turn = (firstTurn % turns) - 1;

  function orderAt(at: number): readonly Target[] {
    const known = kept[at];
    if (known) return known;
    const accountTurn = Math.floor(at / starts.length);
    const ownLegs = rotated(legs, starts[at % starts.length] ?? 0);
    const order = [...ownLegs, ...fallbacks].flatMap((leg) =>
      rotated(leg, accountTurn % leg.length),
    );
    if (turns <= MAX_KEPT_ORDERS) kept[at] = Object.freeze(order);
    return order;
  }

  return () => {
    turn = turn + 1 < turns ? turn + 1 : 0;
    const order = orderAt(turn);
    if (strategy !== 'least-loaded' || ownTargets < 2) return order;
    return [...byLoad(order.slice(0, ownTargets), loadOf), ...order.slice(ownTargets)];
  };
}

/** Reads each load once: a load that changes during the sort would make the comparison inconsistent. */
function byLoad(order: readonly Target[], loadOf: LoadOf): readonly Target[] {
  return order
    .map((target) => ({ target, load: loadOf(target) }))
    .sort((a, b) => a.load - b.load)
    .map(({ target }) => target);
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  return by === 0 ? list : [...list.slice(by), ...list.slice(0, by)];
}

function leastCommonMultiple(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger === 0 ? 1 : (a / larger) * b;
}
