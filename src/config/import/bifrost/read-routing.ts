// Names that callers use → aliases: routing rules on one model, models that a virtual key may get from several
// providers, and `provider/model` where the provider has another name or two wire formats in spillway.yaml.

import type { AliasDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import { type PeerMap, textOf } from '../peer-map.ts';
import type { Placement } from '../place-deployments.ts';
import { type WeightedTarget, weightsOf } from '../target-weights.ts';
import { ROUTING_RULE, ROUTING_TARGET } from './left-out-keys.ts';
import type { BifrostProvider } from './read-providers.ts';

/** The target of a model at a provider of the file; undefined if it serves no such model. */
export type FindTarget = (provider: string, model: string) => string | undefined;

export function createFindTarget(
  providers: readonly BifrostProvider[],
  placement: Placement,
): FindTarget {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return (name, model) => {
    const provider = byName.get(name);
    const wanted = provider?.aliases.get(model) ?? model;
    const exact = provider?.deployments.find((each) => each.model === wanted);
    const any = provider?.deployments.find((each) => each.model === '*');
    if (exact) return placement.targetOf(exact);
    return any && `${placement.providerOf(any)}/${wanted}`;
  };
}

export function readRouting(
  governance: PeerMap | undefined,
  providers: readonly BifrostProvider[],
  findTarget: FindTarget,
  context: ImportContext,
): void {
  const { draft } = context;
  const rules = governance?.maps('routing_rules') ?? [];
  for (const rule of rules.toSorted(byPriority)) readRule(rule, findTarget, context);
  for (const [model, named] of modelsOfKeys(governance)) {
    const weighted = [...named].flatMap(([provider, weight]) => {
      const target = findTarget(provider, model);
      return target === undefined ? [] : [{ target, weight }];
    });
    const targets = unique(weighted.map(({ target }) => target));
    if (targets.length === 0 || draft.aliases.has(model)) continue;
    const strategy = named.size > 1 ? 'round-robin' : 'ordered';
    const weights = weightsOf(weighted);
    draft.aliases.set(model, { name: model, strategy, targets, weights, fallbacks: [] });
  }
  for (const { name, deployments, aliases } of providers)
    for (const model of new Set([...deployments.map((each) => each.model), ...aliases.keys()]))
      writeOwnName(`${name}/${model}`, findTarget(name, model), draft);
  for (const { name, aliases } of providers)
    for (const model of aliases.keys())
      if (!draft.aliases.has(model)) writeOwnName(model, findTarget(name, model), draft);
}

/** `provider/model` needs no alias if Spillway's provider has the same name. */
function writeOwnName(
  name: string,
  target: string | undefined,
  draft: ImportContext['draft'],
): void {
  if (target === undefined || target === name || name.endsWith('*') || draft.aliases.has(name))
    return;
  draft.aliases.set(name, { name, strategy: 'ordered', targets: [target], fallbacks: [] });
}

function byPriority(one: PeerMap, other: PeerMap): number {
  return (one.number('priority')?.value ?? 0) - (other.number('priority')?.value ?? 0);
}

const MODEL_RULE = /^\s*(?:request\.)?model\s*==\s*(["'])([^"'\s]+)\1\s*$/;

/** Reads a rule on one model; rules on headers, budgets or teams have no counterpart. */
function readRule(rule: PeerMap, findTarget: FindTarget, context: ImportContext): void {
  const { draft, findings } = context;
  const leave = (reason: string): void => findings.leftOut(rule.node, reason);
  if (rule.boolean('enabled')?.value === false) return leave('it is not enabled');
  const condition = rule.text('cel_expression');
  const model = MODEL_RULE.exec(condition?.value ?? '')?.[2];
  if (model === undefined)
    return leave('only a rule on one model (model == "name") has a counterpart');
  if ((rule.text('scope')?.value ?? 'global') !== 'global')
    return leave('an alias applies to all callers');
  const weighted = readTargets(rule, model, findTarget, context);
  const targets = unique(weighted.map(({ target }) => target));
  if (targets.length === 0) return leave('none of its targets is in this file');
  if (draft.aliases.has(model)) return leave('an earlier rule has the same model');
  const fallbacks = rule.list('fallbacks').flatMap((item) => {
    const [provider = '', ...rest] = textOf(item).split('/');
    const found = findTarget(provider, rest.join('/') || model);
    if (found === undefined) findings.leftOut(item, 'this file has no such provider or model');
    else findings.taken(item, `aliases.${model}.fallbacks`);
    return found ?? [];
  });
  const alias: AliasDraft = {
    name: model,
    strategy: rule.maps('targets').length > 1 ? 'round-robin' : 'ordered',
    targets,
    weights: weightsOf(weighted),
    fallbacks: unique(fallbacks).filter((target) => !targets.includes(target)),
  };
  draft.aliases.set(model, alias);
  for (const node of ['cel_expression', 'enabled'].flatMap((key) => rule.get(key) ?? []))
    findings.taken(node, `aliases.${model}`);
  rule.close(ROUTING_RULE);
}

function readTargets(
  rule: PeerMap,
  model: string,
  findTarget: FindTarget,
  { findings }: ImportContext,
): readonly WeightedTarget[] {
  return rule.maps('targets').flatMap((target) => {
    const [provider, stated] = [target.text('provider'), target.text('model')];
    const weight = target.number('weight');
    const found = findTarget(provider?.value ?? '', stated?.value ?? model);
    if (found === undefined) {
      findings.leftOut(target.node, 'this file has no such provider or model');
      return [];
    }
    const to = `aliases.${model}: ${found}`;
    for (const read of [provider, stated, weight]) if (read) findings.taken(read.node, to);
    target.close(ROUTING_TARGET);
    return [{ target: found, weight: weight?.value ?? 1 }];
  });
}

/** Model → provider → weight, for the models that a virtual key gets by their bare names; the first key decides. */
function modelsOfKeys(
  governance: PeerMap | undefined,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const models = new Map<string, Map<string, number>>();
  for (const key of governance?.maps('virtual_keys') ?? [])
    for (const config of key.maps('provider_configs')) {
      const provider = config.text('provider')?.value;
      const weight = config.number('weight')?.value ?? 0;
      for (const model of config.list('allowed_models').map(textOf)) {
        if (provider === undefined || model === '*') continue;
        const known = models.get(model) ?? new Map<string, number>();
        models.set(model, known.set(provider, known.get(provider) ?? weight));
      }
    }
  return models;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
