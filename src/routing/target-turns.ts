// In which order are the targets of a name tried this time? An alias has legs (its targets), and each leg has
// one target per account of its provider. Accounts of a leg take turns, whatever the strategy:
//
//   ordered        the legs as configured
//   round-robin    begins one leg further each time, the others follow in order
//   least-loaded   every target by what is under way there, as configured where that is equal
//
// Orders that come round again are made once and kept frozen; only least-loaded makes a list each time.

import type { Target } from './target.ts';

export const ALIAS_STRATEGIES = ['ordered', 'round-robin', 'least-loaded'] as const;
export type AliasStrategy = (typeof ALIAS_STRATEGIES)[number];

/** How busy a target is: 0 idle, larger is busier. */
export type LoadOf = (target: Target) => number;

/** Each call is the next turn. */
export type NextOrder = () => readonly Target[];

/** Beyond this an order is made anew rather than kept: accounts of many legs seldom come round together. */
const MAX_KEPT_ORDERS = 256;

export function createTurns(
  strategy: AliasStrategy,
  legs: readonly (readonly Target[])[],
  loadOf: LoadOf,
  /** Where to begin, so that many names do not all begin with the same account. */
  firstTurn = 0,
): NextOrder {
  const isRotating = strategy === 'round-robin';
  const accountTurns = legs.map((leg) => leg.length).reduce(leastCommonMultiple, 1);
  const turns = accountTurns * (isRotating ? Math.max(1, legs.length) : 1);
  const kept: (readonly Target[])[] = [];
  let turn = (firstTurn % turns) - 1;

  function orderAt(at: number): readonly Target[] {
    const known = kept[at];
    if (known) return known;
    const firstLeg = isRotating ? at % legs.length : 0;
    const accountTurn = isRotating ? Math.floor(at / legs.length) : at;
    const order = rotated(legs, firstLeg).flatMap((leg) => rotated(leg, accountTurn % leg.length));
    if (turns <= MAX_KEPT_ORDERS) kept[at] = Object.freeze(order);
    return order;
  }

  return () => {
    turn = turn + 1 < turns ? turn + 1 : 0;
    const order = orderAt(turn);
    return strategy === 'least-loaded' && order.length > 1 ? byLoad(order, loadOf) : order;
  };
}

/** Loads are read once each, since they may change under a comparison. */
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
