// Portkey's files → spillway.yaml. A file is one config, as the gateway takes it in a header; or an answer of the admin
// API around configs; or the conf.json of the open-source gateway with `integrations`; or a document that collects
// `configs`, `virtual_keys`, `providers`, `integrations`, `api_keys` and `workspaces`.

import { toAliasName } from '../alias-name.ts';
import type { Deployment } from '../deployment.ts';
import type { AliasDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import { PeerMap } from '../peer-map.ts';
import { type Placement, placeDeployments } from '../place-deployments.ts';
import { weightsOf } from '../target-weights.ts';
import { CONFIG_ENVELOPE, DOCUMENT } from './left-out-keys.ts';
import { readCallers } from './read-callers.ts';
import { type ConfigRoutes, type NamedRoute, readConfig } from './read-config.ts';
import { readReliability } from './read-reliability.ts';
import type { Leaf } from './read-target.ts';
import { deploymentOf, readVault, type Vault } from './read-vault.ts';
import { chainOf, leavesOf } from './routes.ts';
import { withSnakeKeys } from './snake-keys.ts';

export function readPortkey(given: PeerMap, context: ImportContext): void {
  // Portkey drops parameters that a provider does not know.
  context.draft.dropsFields = true;
  const root = new PeerMap(withSnakeKeys(given.node), context.findings);
  const document = isDocument(root) ? root : undefined;
  const vault = document ? readVault(document, context) : new Map();
  const configs = document ? configsOf(document, context) : [configOf(root, context)];
  const read = configs.map(({ name, config }) => {
    readReliability(config, context);
    return readConfig(name, config, vault, context);
  });
  const routes = read.flatMap((each) => each.routes);
  const bare = read.flatMap((each) => each.bare);
  write({ routes, bare }, vault, context);
  if (!document) return;
  readCallers(document, context);
  document.close(DOCUMENT);
}

const DOCUMENT_KEYS =
  'configs data integrations virtual_keys providers api_keys workspaces plugins_enabled'.split(' ');

function isDocument(root: PeerMap): boolean {
  return DOCUMENT_KEYS.some((key) => root.entries.some((entry) => entry.key === key));
}

type NamedConfig = { readonly name: string; readonly config: PeerMap };

function configsOf(document: PeerMap, context: ImportContext): readonly NamedConfig[] {
  const data = document.get('data');
  const nodes = [
    ...document.list('configs'),
    ...(data?.items ?? (data ? [data] : [])),
    ...(document.get('config') ? [document.node] : []),
  ];
  return nodes.map((node) => configOf(new PeerMap(node, context.findings), context));
}

/** A config, or `{ name, config }` around it. The alias has the envelope's name, else the file's. */
function configOf(map: PeerMap, { findings, fileName }: ImportContext): NamedConfig {
  const config = map.map('config');
  const own = fileName.replace(/\.[^.]+$/, '');
  if (!config) return { name: toAliasName(own), config: map };
  const name = map.text('name') ?? map.text('slug');
  const alias = toAliasName(name?.value ?? own);
  if (name) findings.taken(name.node, `aliases.${alias}`);
  map.close(CONFIG_ENVELOPE);
  return { name: alias, config };
}

type Placed = { readonly leaf: Leaf; readonly deployment: Deployment };

function write({ routes, bare }: ConfigRoutes, vault: Vault, context: ImportContext): void {
  const placed = new Map<NamedRoute, readonly Placed[]>();
  for (const named of routes)
    placed.set(
      named,
      leavesOf(named.route).map((leaf) => ({
        leaf,
        deployment: leaf.deploy(leaf.model ?? named.name),
      })),
    );
  const own = [...vault.values()].flatMap((entry) =>
    (entry.models.length > 0 ? entry.models : ['*']).map((model) => deploymentOf(entry, model)),
  );
  const alone = bare.map((leaf) => ({ leaf, deployment: leaf.deploy(leaf.model ?? '*') }));
  const routed = [...placed.values()].flat();
  const placement = placeDeployments([
    ...own,
    ...[...alone, ...routed].map(({ deployment }) => deployment),
  ]);
  for (const provider of placement.providers) context.draft.providers.set(provider.name, provider);
  for (const { leaf, deployment } of alone)
    for (const node of leaf.nodes)
      context.findings.taken(node, `providers.${placement.providerOf(deployment)}`);
  for (const named of routes) writeAlias(named, placed.get(named) ?? [], placement, context);
}

function writeAlias(
  { name, route }: NamedRoute,
  placed: readonly Placed[],
  placement: Placement,
  { draft, findings }: ImportContext,
): void {
  const { strategy, targets, shares, fallbacks } = chainOf(route);
  const targetsOf = (leaf: Leaf): readonly string[] =>
    placed.flatMap((each) => (each.leaf === leaf ? [placement.targetOf(each.deployment)] : []));
  const weighted = targets.flatMap((leaf, index) =>
    targetsOf(leaf).map((target) => ({ target, weight: shares[index] ?? 1 })),
  );
  const own = [...new Set(weighted.map(({ target }) => target))];
  if (own.length === 0) return;
  const later = new Set(fallbacks.flatMap(targetsOf));
  const alias: AliasDraft = {
    name,
    strategy: targets.length > 1 ? strategy : 'ordered',
    targets: own,
    weights: weightsOf(weighted),
    fallbacks: [...later].filter((target) => !own.includes(target)),
  };
  draft.aliases.set(name, alias);
  for (const { leaf, deployment } of placed)
    for (const node of leaf.nodes)
      findings.taken(node, `aliases.${name}: ${placement.targetOf(deployment)}`);
}
