// One Portkey config: its strategy and targets become aliases. A config has no model: callers name it in each
// request. If every target overrides the model, one alias with the config's name is enough; otherwise an alias is
// written for each model that `--model` names. Conditions on the caller's model become aliases of that name.

import type { ImportContext } from '../import-context.ts';
import type { PeerMap, Read } from '../peer-map.ts';
import { type AddAlias, byCondition } from './by-condition.ts';
import { CONFIG, STRATEGY, TARGET_ONLY } from './left-out-keys.ts';
import { type Leaf, readLeaf } from './read-target.ts';
import type { Vault } from './read-vault.ts';
import { type Branch, chainOf, hasBalancedFallback, leavesOf, type Route } from './routes.ts';

/** An alias to write once all deployments have their providers. */
export type NamedRoute = { readonly name: string; readonly route: Route };

export type ConfigRoutes = {
  readonly routes: readonly NamedRoute[];
  /** Targets without an alias: callers name provider/model. */
  readonly bare: readonly Leaf[];
};

export function readConfig(
  name: string,
  config: PeerMap,
  vault: Vault,
  context: ImportContext,
): ConfigRoutes {
  const routes: NamedRoute[] = [];
  const route = readRoute(config, vault, context, (alias, target) =>
    routes.push({ name: alias, route: target }),
  );
  const leaves = route ? leavesOf(route) : [];
  if (!route || leaves.length === 0) return { routes, bare: [] };
  if (leaves.every((leaf) => leaf.model !== undefined))
    return { routes: [...routes, { name, route }], bare: [] };
  if (context.models.length > 0) {
    const named = context.models.map((model) => ({ name: model, route }));
    return { routes: [...routes, ...named], bare: [] };
  }
  const isRouted = leaves.length > 1;
  for (const { model, nodes } of leaves)
    for (const node of nodes)
      if (model === undefined && isRouted)
        context.findings.changed(
          node,
          'providers',
          'callers send its model; name their models with --model to get an alias of this config',
        );
  return { routes, bare: leaves };
}

function readRoute(
  target: PeerMap,
  vault: Vault,
  context: ImportContext,
  addAlias: AddAlias,
  isRoot = true,
): Route | undefined {
  const targets = target.maps('targets');
  if (targets.length === 0) return readAlone(target, vault, context, isRoot);
  const strategy = target.map('strategy');
  const mode = strategy?.text('mode');
  const name = target.text('name');
  if (name) context.findings.taken(name.node, 'the targets of its alias');
  const children = targets.flatMap((each) => {
    const weight = each.number('weight');
    if (weight?.value === 0) {
      context.findings.leftOut(each.node, 'a target of weight 0 receives no calls');
      return [];
    }
    const route = readRoute(each, vault, context, addAlias, false);
    return route ? [{ route, weight }] : [];
  });
  reportWeights(children, mode?.value, context);
  const route = byMode(children, name?.value, strategy, context, addAlias);
  strategy?.close(STRATEGY);
  target.close(isRoot ? CONFIG : new Map([...CONFIG, ...TARGET_ONLY]));
  return route;
}

/** Reads a config without targets. A config with only a cache or retries names no provider. */
function readAlone(
  target: PeerMap,
  vault: Vault,
  context: ImportContext,
  isRoot: boolean,
): Route | undefined {
  const strategy = target.map('strategy');
  const mode = strategy?.get('mode');
  if (mode) context.findings.taken(mode, 'the targets of its alias');
  const isProvider = ['provider', 'virtual_key', 'passthrough', 'override_params'].some((key) =>
    target.get(key),
  );
  if (isProvider || !isRoot) return readLeaf(target, vault, context, isRoot);
  target.close(CONFIG);
  return undefined;
}

type Child = { readonly route: Route; readonly weight: Read<number> | undefined };

function byMode(
  weighted: readonly Child[],
  name: string | undefined,
  strategy: PeerMap | undefined,
  context: ImportContext,
  addAlias: AddAlias,
): Route | undefined {
  const mode = strategy?.text('mode');
  const children = weighted.map(({ route }) => route);
  const weights = weighted.map(({ weight }) => weight?.value ?? 1);
  const value = mode?.value ?? 'single';
  if (strategy) reportStatusCodes(strategy, context);
  if (strategy && mode && value === 'conditional')
    return byCondition(children, strategy, mode.node, context, addAlias);
  const kind = value === 'loadbalance' || value === 'fallback' ? value : 'single';
  if (mode && kind !== value && value !== 'single')
    context.findings.leftOut(mode.node, 'Spillway has no such strategy; the first target is used');
  const route: Branch = { kind: 'branch', name, mode: kind, children, weights };
  if (mode && hasBalancedFallback(route))
    context.findings.changed(
      mode.node,
      'aliases',
      'the fallbacks of one branch serve all branches',
    );
  else if (mode) context.findings.taken(mode.node, `aliases: ${chainOf(route).strategy}`);
  return route;
}

function reportStatusCodes(strategy: PeerMap, { findings }: ImportContext): void {
  const codes = strategy.get('on_status_codes');
  if (codes)
    findings.changed(
      codes,
      'aliases',
      'the next target serves what a provider cannot: limits, throttles, overload, server and network errors',
    );
}

function reportWeights(
  children: readonly Child[],
  mode: string | undefined,
  { findings }: ImportContext,
): void {
  for (const { weight } of children)
    if (weight && mode === 'loadbalance') findings.taken(weight.node, 'aliases: weights');
    else if (weight) findings.leftOut(weight.node, 'weights belong to loadbalance');
}
