// `model_list`: every entry becomes a target of the alias with the entry's model_name. Entries of one vendor and model
// with several keys become accounts of one provider, which take turns under every strategy.

import type { AliasDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { type Placement, placeDeployments } from '../place-deployments.ts';
import { weightsOf } from '../target-weights.ts';
import { MODEL, PARAMS } from './left-out-models.ts';
import { readNamedCredentials } from './read-credentials.ts';
import { type ModelEntry, readEntry } from './read-deployment.ts';
import { readModelInfo } from './read-model-info.ts';

export type ModelGroups = {
  readonly groups: ReadonlyMap<string, AliasDraft>;
  /** The targets of a name: a group's, or a model's behind a wildcard such as `anthropic/*`. */
  targetsOf(name: string): readonly string[] | undefined;
};

export function readModelList(root: PeerMap, context: ImportContext): ModelGroups {
  const named = readNamedCredentials(root, context);
  const entries = root.maps('model_list').flatMap((entry) => {
    const read = readEntry(entry, context, named);
    return read ? [read] : [];
  });
  const placement = placeDeployments(entries.map(({ deployment }) => deployment));
  for (const provider of placement.providers) context.draft.providers.set(provider.name, provider);
  const groups = new Map<string, AliasDraft>();
  const wildcards = new Map<string, string>();
  for (const [group, own] of Map.groupBy(entries, (entry) => entry.group)) {
    if (group.includes('*'))
      for (const entry of own) readWildcard(entry, placement, context, wildcards);
    else groups.set(group, readGroup(group, own, placement, context));
  }
  for (const entry of entries) {
    readModelInfo(entry, placement, context);
    entry.params.close(PARAMS);
    entry.map.close(MODEL);
  }
  for (const { node } of [...named.values()].flatMap(({ apiKey, apiBase }) => [
    ...(apiKey ? [apiKey] : []),
    ...(apiBase ? [apiBase] : []),
  ]))
    if (!context.findings.covers(node.path))
      context.findings.leftOut(node, 'no entry of model_list names this credential');
  return {
    groups,
    targetsOf: (name) => {
      const alias = groups.get(name);
      if (alias) return [...alias.targets];
      const slash = name.indexOf('/');
      const provider = wildcards.get(name.slice(0, slash));
      return provider === undefined ? undefined : [`${provider}/${name.slice(slash + 1)}`];
    },
  };
}

function readGroup(
  name: string,
  entries: readonly ModelEntry[],
  placement: Placement,
  context: ImportContext,
): AliasDraft {
  const lowest = Math.min(...entries.map(({ order }) => order?.value ?? 0));
  const isFirst = ({ order }: ModelEntry): boolean => (order?.value ?? 0) === lowest;
  const byOrder = entries.toSorted(
    (one, other) => (one.order?.value ?? 0) - (other.order?.value ?? 0),
  );
  const targetsOf = (own: readonly ModelEntry[]): readonly string[] => [
    ...new Set(own.map(({ deployment }) => placement.targetOf(deployment))),
  ];
  const first = entries.filter(isFirst);
  const targets = targetsOf(first);
  const later = targetsOf(byOrder.filter((entry) => !isFirst(entry)));
  const alias: AliasDraft = {
    name,
    strategy: 'ordered',
    targets,
    weights: groupWeights(first, placement),
    fallbacks: later.filter((target) => !targets.includes(target)),
  };
  for (const entry of entries) reportEntry(entry, placement, context);
  reportWeights(alias, entries, context);
  return alias;
}

function reportEntry(entry: ModelEntry, placement: Placement, { findings }: ImportContext): void {
  const { deployment, group, modelNode, order } = entry;
  const provider = placement.providerOf(deployment);
  findings.taken(modelNode, `aliases.${group}: ${placement.targetOf(deployment)}`);
  reportProvider(entry, `providers.${provider}`, findings);
  if (order) findings.taken(order.node, `the order in aliases.${group}`);
}

function reportProvider(
  { taken }: ModelEntry,
  to: string,
  findings: ImportContext['findings'],
): void {
  for (const node of taken) findings.taken(node, to);
}

/** LiteLLM never picks an entry without a weight if another one has a weight. */
function groupWeights(entries: readonly ModelEntry[], placement: Placement): AliasDraft['weights'] {
  if (entries.every(({ weight }) => weight === undefined)) return undefined;
  return weightsOf(
    entries.map(({ deployment, weight }) => ({
      target: placement.targetOf(deployment),
      weight: weight?.value ?? 0,
    })),
  );
}

function reportWeights(
  { name, targets }: AliasDraft,
  entries: readonly ModelEntry[],
  { findings }: ImportContext,
): void {
  const isOneTarget = entries.length > 1 && targets.length === 1;
  const areEqual = new Set(entries.map(({ weight }) => weight?.value)).size === 1;
  for (const { weight } of entries)
    if (weight && isOneTarget && !areEqual)
      findings.changed(
        weight.node,
        `aliases.${name}`,
        'the accounts of one provider take equal turns',
      );
    else if (weight) findings.taken(weight.node, `aliases.${name}.weights`);
}

/** `openai/*` needs no alias: callers name provider/model. `gpt-*` becomes a pattern of the provider. */
function readWildcard(
  entry: ModelEntry,
  placement: Placement,
  { draft, findings }: ImportContext,
  wildcards: Map<string, string>,
): void {
  const { group, deployment, vendor, modelNode } = entry;
  const name = placement.providerOf(deployment);
  reportProvider(entry, `providers.${name}`, findings);
  if (group === `${vendor}/*` && deployment.model === '*') {
    wildcards.set(vendor, name);
    const to = `providers.${name}, as ${name}/<model>`;
    if (name === vendor) findings.taken(modelNode, to);
    else findings.changed(modelNode, to, `callers write ${name}/<model> instead of ${group}`);
    return;
  }
  if (group.includes('/') || (deployment.model !== '*' && deployment.model !== group))
    return findings.leftOut(modelNode, 'a pattern that renames models has no counterpart');
  const provider = draft.providers.get(name);
  if (!provider) return;
  draft.providers.set(name, { ...provider, models: [...(provider.models ?? []), group] });
  findings.taken(modelNode, `providers.${name}.models`);
}
