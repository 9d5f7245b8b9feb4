// Routing between models: the strategy of a group, fallbacks, and further names of groups. Settings of the router
// override the same keys of `litellm_settings`.

import { toAliasName } from '../alias-name.ts';
import type { AliasDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { textOf } from '../peer-map.ts';
import type { PeerNode } from '../peer-node.ts';
import type { ModelGroups } from './read-model-list.ts';

type Chains = Map<string, AliasDraft>;

/** Writes the aliases. */
export function readRouting(
  sections: readonly PeerMap[],
  models: ModelGroups,
  context: ImportContext,
): void {
  const chains: Chains = new Map(models.groups);
  const strategy = readStrategy(sections, context);
  for (const [name, alias] of chains)
    chains.set(name, { ...alias, strategy: alias.targets.length === 1 ? 'ordered' : strategy });
  for (const section of sections) readDropping(section, context);
  const specific = new Set<string>();
  for (const section of sections) {
    for (const item of section.list('fallbacks'))
      readFallback(item, chains, models, context, specific);
    for (const item of section.list('context_window_fallbacks'))
      readFallback(item, chains, models, context, new Set(), LONGER_PROMPTS);
  }
  for (const section of sections) readDefaults(section, chains, models, context, specific);
  for (const section of sections) readGroupAliases(section, chains, context);
  for (const [name, alias] of chains) context.draft.aliases.set(name, alias);
}

const LONGER_PROMPTS =
  'a prompt that is too long moves to the first target with a larger window; other failures use these targets too';

const STRATEGIES: Readonly<Record<string, readonly [AliasDraft['strategy'], string?]>> = {
  'simple-shuffle': ['round-robin'],
  'least-busy': ['least-loaded'],
  'usage-based-routing': ['least-loaded', 'by calls in flight instead of tokens per minute'],
  'usage-based-routing-v2': ['least-loaded', 'by calls in flight instead of tokens per minute'],
  'latency-based-routing': ['least-loaded', 'by calls in flight instead of latency'],
  'cost-based-routing': ['ordered', 'in the order of the file; put the cheapest target first'],
};

function readStrategy(
  sections: readonly PeerMap[],
  { findings }: ImportContext,
): AliasDraft['strategy'] {
  let chosen: AliasDraft['strategy'] = 'round-robin';
  for (const section of sections) {
    const stated = section.text('routing_strategy');
    if (!stated) continue;
    const [strategy, reason] = STRATEGIES[stated.value] ?? [];
    if (strategy === undefined) {
      findings.leftOut(stated.node, 'Spillway has no such strategy; aliases take turns');
      continue;
    }
    chosen = strategy;
    const to = `aliases.*.strategy: ${strategy}`;
    if (reason === undefined) findings.taken(stated.node, to);
    else findings.changed(stated.node, to, reason);
  }
  return chosen;
}

/** `{ gpt-4o: [claude, …] }`; the name `*` means every group without its own fallbacks. */
function readFallback(
  item: PeerNode,
  chains: Chains,
  models: ModelGroups,
  context: ImportContext,
  specific: Set<string>,
  reason?: string,
): void {
  for (const { key: stated, node } of item.entries ?? []) {
    const key = toAliasName(stated);
    const targets = targetsOf(node, models, context);
    if (key === '*') {
      for (const name of chains.keys()) if (!specific.has(name)) append(chains, name, targets);
      context.findings.taken(node, 'aliases.*.fallbacks');
      continue;
    }
    if (!chains.has(key)) {
      context.findings.leftOut(node, `${key} is not a model of this file`);
      continue;
    }
    specific.add(key);
    append(chains, key, targets);
    const to = `aliases.${key}.fallbacks`;
    if (reason === undefined) context.findings.taken(node, to);
    else context.findings.changed(node, to, reason);
  }
}

function readDefaults(
  section: PeerMap,
  chains: Chains,
  models: ModelGroups,
  context: ImportContext,
  specific: ReadonlySet<string>,
): void {
  const node = section.get('default_fallbacks');
  if (!node) return;
  const targets = targetsOf(node, models, context);
  for (const name of chains.keys()) if (!specific.has(name)) append(chains, name, targets);
  context.findings.taken(node, 'aliases.*.fallbacks, where a model has none of its own');
}

function targetsOf(
  node: PeerNode,
  models: ModelGroups,
  { findings }: ImportContext,
): readonly string[] {
  return (node.items ?? [node]).flatMap((item) => {
    const isName = typeof item.scalar === 'string';
    const targets = isName ? models.targetsOf(toAliasName(textOf(item))) : undefined;
    if (!targets)
      findings.leftOut(
        item,
        isName ? 'it is not a model of this file' : 'Spillway forwards requests unchanged',
      );
    return targets ?? [];
  });
}

function append(chains: Chains, name: string, targets: readonly string[]): void {
  const alias = chains.get(name);
  if (!alias) return;
  const known = new Set([...alias.targets, ...alias.fallbacks]);
  const added = [...new Set(targets)].filter((target) => !known.has(target));
  chains.set(name, { ...alias, fallbacks: [...alias.fallbacks, ...added] });
}

/** `{ gpt-4: gpt-4o }`, or `{ gpt-4: { model: gpt-4o, hidden: true } }`. */
function readGroupAliases(section: PeerMap, chains: Chains, { findings }: ImportContext): void {
  for (const { key, node } of section.map('model_group_alias')?.entries ?? []) {
    const model = node.entries?.find((entry) => entry.key === 'model')?.node ?? node;
    const alias =
      typeof model.scalar === 'string' ? chains.get(toAliasName(model.scalar)) : undefined;
    if (!alias) {
      findings.leftOut(node, 'it leads to no model of this file');
      continue;
    }
    chains.set(toAliasName(key), { ...alias, name: toAliasName(key) });
    if (node.entries && node.entries.length > 1)
      findings.changed(node, `aliases.${key}`, 'lists of models show every alias');
    else findings.taken(node, `aliases.${key}`);
  }
}

/** `drop_params`: LiteLLM drops parameters that a model does not know, instead of refusing the request. */
function readDropping(section: PeerMap, { draft, findings }: ImportContext): void {
  const drops = section.boolean('drop_params');
  if (!drops) return;
  draft.dropsFields ||= drops.value;
  findings.changed(
    drops.node,
    'aliases.*.translate',
    'fields that another wire format lacks are dropped; requests in the format of the target pass unchanged',
  );
}
