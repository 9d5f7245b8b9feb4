// The strategy `conditional`: a condition on the caller's model becomes an alias of that name, the default becomes the
// alias of the config.

import type { ImportContext } from '../import-context.ts';
import { type PeerMap, textOf } from '../peer-map.ts';
import type { PeerNode } from '../peer-node.ts';
import { leavesOf, type Route } from './routes.ts';

export type AddAlias = (name: string, route: Route) => void;

/** `{ "params.model": { "$eq": "fast" } }` is an alias; every other condition has no counterpart. */
export function byCondition(
  children: readonly Route[],
  strategy: PeerMap,
  mode: PeerNode,
  { findings }: ImportContext,
  addAlias: AddAlias,
): Route | undefined {
  const byName = new Map(children.map((child) => [child.name ?? '', child]));
  const used = new Set<Route | undefined>();
  for (const condition of strategy.maps('conditions')) {
    const then = condition.text('then');
    const route = byName.get(then?.value ?? '');
    const models = modelsOf(condition.get('query'));
    if (!route || models.length === 0) {
      findings.leftOut(
        condition.node,
        route ? 'only conditions on params.model have a counterpart' : 'it leads to no target',
      );
      continue;
    }
    for (const model of models) addAlias(model, route);
    used.add(route);
    findings.taken(condition.node, models.map((model) => `aliases.${model}`).join(', '));
  }
  const fallback = strategy.text('default');
  findings.taken(mode, 'an alias for each model of a condition');
  if (fallback) findings.taken(fallback.node, 'the alias of the config');
  const route = byName.get(fallback?.value ?? '');
  used.add(route);
  for (const unused of children.filter((child) => !used.has(child)))
    for (const node of leavesOf(unused).flatMap(({ nodes }) => nodes))
      findings.leftOut(node, 'only a condition without a counterpart leads to it');
  return route;
}

function modelsOf(query: PeerNode | undefined): readonly string[] {
  const [only, ...others] = query?.entries ?? [];
  if (only?.key !== 'params.model' || others.length > 0) return [];
  if (typeof only.node.scalar === 'string') return [only.node.scalar];
  const [operator] = only.node.entries ?? [];
  if (operator?.key === '$eq') return [textOf(operator.node)];
  return operator?.key === '$in' ? (operator.node.items ?? []).map(textOf) : [];
}
