// Orders the providers for a job that names none. Pure except for the state that round-robin and weights keep between
// calls. The first provider of the order is the choice; the others receive overflow.

import { WeightedTurns } from './weighted-turns.ts';

export const PROVIDER_STRATEGIES = [
  'FIXED',
  'ROUND_ROBIN',
  'WEIGHTED',
  'COST_OPTIMIZED',
  'QUALITY_FIRST',
  'LEAST_LOADED',
  'MESSAGE_BASED',
] as const;
export type ProviderStrategy = (typeof PROVIDER_STRATEGIES)[number];

export type StrategyOptions = {
  readonly strategy: ProviderStrategy;
  readonly fixedProvider: string;
  readonly availableProviders: readonly string[];
  /** For COST_OPTIMIZED and MESSAGE_BASED; it also restricts the candidates. */
  readonly priorityOrder: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
  readonly metadata: Readonly<
    Record<string, { readonly cost?: number | undefined; readonly quality?: number | undefined }>
  >;
};

export type StrategyQuestion = {
  /** The provider named in the message; used by MESSAGE_BASED. */
  readonly wanted?: string | undefined;
  /** The load of a provider: 0 is idle. Used by LEAST_LOADED. */
  readonly loadOf: (provider: string) => number;
};

export type ChooseOrder = (question: StrategyQuestion) => readonly string[];

export function createProviderStrategy(options: StrategyOptions): ChooseOrder {
  const { availableProviders, priorityOrder, metadata, weights } = options;
  const ordered =
    priorityOrder.length > 0
      ? priorityOrder.filter((name) => availableProviders.includes(name))
      : undefined;
  let turn = 0;
  const weightOf = (name: string) => weights[name] ?? 0;
  const turns = new WeightedTurns(weightOf);
  const weighted = availableProviders.filter((name) => weightOf(name) > 0);

  function rotate(): readonly string[] {
    const start = turn % Math.max(1, availableProviders.length);
    turn += 1;
    return [...availableProviders.slice(start), ...availableProviders.slice(0, start)];
  }

  return ({ wanted, loadOf }) => {
    switch (options.strategy) {
      case 'FIXED':
        return [options.fixedProvider];
      case 'ROUND_ROBIN':
        return rotate();
      case 'WEIGHTED':
        return turns.next(weighted);
      case 'COST_OPTIMIZED':
        return (
          ordered ??
          sortedBy(availableProviders, (name) => metadata[name]?.cost ?? Number.POSITIVE_INFINITY)
        );
      case 'QUALITY_FIRST':
        return sortedBy(availableProviders, (name) => -(metadata[name]?.quality ?? 0));
      case 'LEAST_LOADED':
        return sortedBy(availableProviders, loadOf);
      case 'MESSAGE_BASED': {
        const rest = ordered ?? availableProviders;
        return wanted === undefined ? rest : [wanted, ...rest.filter((name) => name !== wanted)];
      }
    }
  };
}

function sortedBy(names: readonly string[], rank: (name: string) => number): readonly string[] {
  return names.toSorted((a, b) => rank(a) - rank(b));
}
