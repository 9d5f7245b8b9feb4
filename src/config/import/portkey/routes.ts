// The tree of strategies of a Portkey config as a chain: targets that take turns or follow in order, then fallbacks.

import type { AliasDraft } from '../draft.ts';
import type { Leaf } from './read-target.ts';

export type Route = Leaf | Branch;

export type Branch = {
  readonly kind: 'branch';
  readonly name: string | undefined;
  readonly mode: 'single' | 'loadbalance' | 'fallback';
  readonly children: readonly Route[];
  /** The weights of the children under loadbalance. */
  readonly weights: readonly number[];
};

export type Chain = {
  readonly strategy: AliasDraft['strategy'];
  readonly targets: readonly Leaf[];
  /** The share of each target. */
  readonly shares: readonly number[];
  readonly fallbacks: readonly Leaf[];
};

/** A fallback below a load balancer serves all of its branches: a chain has one list of fallbacks. */
export function chainOf(route: Route): Chain {
  if (route.kind === 'leaf')
    return { strategy: 'ordered', targets: [route], shares: [1], fallbacks: [] };
  const chains = route.children.map(chainOf);
  const [first = EMPTY, ...others] = chains;
  if (route.mode === 'single') return first;
  if (route.mode === 'fallback') {
    const later = others.flatMap((each) => [...each.targets, ...each.fallbacks]);
    return { ...first, fallbacks: [...first.fallbacks, ...later] };
  }
  return {
    strategy: 'round-robin',
    targets: chains.flatMap((each) => each.targets),
    shares: chains.flatMap((each, index) => sharesOf(each, route.weights[index] ?? 1)),
    fallbacks: chains.flatMap((each) => each.fallbacks),
  };
}

const EMPTY: Chain = { strategy: 'ordered', targets: [], shares: [], fallbacks: [] };

/** Divides the weight of a branch among its targets. */
function sharesOf({ shares }: Chain, weight: number): readonly number[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => (weight * share) / sum);
}

/** Whether a load balancer has a fallback below it, which a chain cannot keep to one branch. */
export function hasBalancedFallback(route: Route): boolean {
  if (route.kind === 'leaf') return false;
  const isBelow = route.children.some((each) => chainOf(each).fallbacks.length > 0);
  return (route.mode === 'loadbalance' && isBelow) || route.children.some(hasBalancedFallback);
}

export function leavesOf(route: Route): readonly Leaf[] {
  return route.kind === 'leaf' ? [route] : route.children.flatMap(leavesOf);
}
