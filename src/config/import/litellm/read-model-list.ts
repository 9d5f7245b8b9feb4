// `model_list`: every entry becomes a target of the alias with the entry's model_name. Entries of one vendor and model
// with several keys become accounts of one provider, which take turns under every strategy.

import type { AliasDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { type Placement, placeDeployments } from '../place-deployments.ts';
import { reportLimit } from '../report-deployment.ts';
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
    ...new Set(own.flatMap(({ deployment }) => placement.targetsOf(deployment))),
  ];
  const targets = targetsOf(entries.filter(isFirst));
  const later = targetsOf(byOrder.filter((entry) => !isFirst(entry)));
  const alias: AliasDraft = {
    name,
    strategy: 'ordered',
    targets,
    fallbacks: later.filter((target) => !targets.includes(target)),
  };
  for (const entry of entries) reportEntry(entry, placement, context);
  reportWeights(name, entries, context);
  return alias;
}

function reportEntry(entry: ModelEntry, placement: Placement, { findings }: ImportContext): void {
  const { deployment, group, modelNode, order } = entry;
  const targets = placement.targetsOf(deployment);
  const provider = placement.providerOf(deployment);
  findings.taken(modelNode, `aliases.${group}: ${targets.join(', ')}`);
  reportProvider(entry, `providers.${provider}`, findings);
  if (order) findings.taken(order.node, `the order in aliases.${group}`);
}

function reportProvider(
  { deployment, taken, limitNodes }: ModelEntry,
  to: string,
  findings: ImportContext['findings'],
): void {
  for (const node of taken) findings.taken(node, to);
  for (const node of limitNodes) reportLimit(findings, node, to, deployment.endpoint);
}

/** Accounts and targets take equal turns, so unequal weights are reported as a change. */
function reportWeights(
  name: string,
  entries: readonly ModelEntry[],
  { findings }: ImportContext,
): void {
  const areEqual = new Set(entries.map(({ weight }) => weight?.value)).size === 1;
  for (const { weight } of entries) {
    if (!weight) continue;
    if (areEqual) findings.taken(weight.node, `aliases.${name}: the targets take turns`);
    else
      findings.changed(
        weight.node,
        `aliases.${name}`,
        'targets and accounts take equal turns; there are no weights',
      );
  }
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
  const formats = placement.targetsOf(deployment).map((target) => target.replace(/\/\*$/, ''));
  const [, other] = formats;
  const note =
    other === undefined ? undefined : `requests in OpenAI's format name ${other}/<model>`;
  if (group === `${vendor}/*` && deployment.model === '*') {
    wildcards.set(vendor, other ?? name);
    const to = `providers.${name}, as ${name}/<model>`;
    const renamed = name === vendor ? note : `callers write ${name}/<model> instead of ${group}`;
    if (renamed === undefined) findings.taken(modelNode, to);
    else findings.changed(modelNode, to, renamed);
    return;
  }
  if (group.includes('/') || (deployment.model !== '*' && deployment.model !== group))
    return findings.leftOut(modelNode, 'a pattern that renames models has no counterpart');
  const provider = draft.providers.get(name);
  if (!provider) return;
  draft.providers.set(name, { ...provider, models: [...(provider.models ?? []), group] });
  if (note === undefined) findings.taken(modelNode, `providers.${name}.models`);
  else findings.changed(modelNode, `providers.${name}.models`, note);
}
