// Arranges a peer's deployments (a model at an address with a key) as providers of spillway.yaml. The accounts of one
// Spillway provider serve all of its models, so deployments share a provider only if every key serves every model of it
// and no model has limits of its own; otherwise a model would be called with a key that the peer never used for it, or
// two models would share one limit. An API with a native wire format becomes two providers, one for each format.

import { variableOf } from './credentials.ts';
import type { Deployment } from './deployment.ts';
import type { ProviderDraft } from './draft.ts';
import { draftProviders } from './draft-providers.ts';
import { nameProvider } from './provider-name.ts';

export type Placement = {
  /** In the order of spillway.yaml. */
  readonly providers: readonly ProviderDraft[];
  /** The targets of a deployment, one for each wire format, as `provider/model`. */
  readonly targetsOf: (deployment: Deployment) => readonly string[];
  /** The provider of the vendor's own wire format. */
  readonly providerOf: (deployment: Deployment) => string;
};

/** Deployments that become one provider, or two with a native format. */
type Group = { readonly deployments: Deployment[] };

export function placeDeployments(deployments: readonly Deployment[]): Placement {
  const groupOf = new Map<Deployment, Group>();
  const groups = [...Map.groupBy(deployments, siteOf).values()].flatMap(groupsOfSite);
  for (const group of groups) for (const each of group.deployments) groupOf.set(each, group);
  const taken = new Set<string>();
  const namesOf = new Map<Group, readonly string[]>();
  const providers = groups.flatMap((group) => {
    const drafts = draftProviders(group.deployments, nameProvider(group.deployments, taken));
    namesOf.set(
      group,
      drafts.map(({ name }) => name),
    );
    return drafts;
  });
  const names = (deployment: Deployment): readonly string[] => {
    const group = groupOf.get(deployment);
    return (group && namesOf.get(group)) ?? [];
  };
  return {
    providers,
    targetsOf: (deployment) => names(deployment).map((name) => `${name}/${deployment.model}`),
    providerOf: (deployment) => names(deployment)[0] ?? '',
  };
}

function siteOf({ endpoint, baseUrl, provider }: Deployment): string {
  return `${endpoint.name} ${baseUrl ?? ''} ${provider ?? ''}`;
}

/** The models of one address, grouped by the keys that serve them; a model with limits is alone. */
function groupsOfSite(deployments: readonly Deployment[]): readonly Group[] {
  const byModel = Map.groupBy(deployments, ({ model }) => model);
  const bySignature = new Map<string, Group>();
  for (const [model, own] of byModel) {
    const signature = signatureOf(model, own);
    const group = bySignature.get(signature) ?? { deployments: [] };
    group.deployments.push(...own);
    bySignature.set(signature, group);
  }
  // The provider of most models gets the plain name.
  return [...bySignature.values()].sort(
    (one, other) => weight(other.deployments) - weight(one.deployments),
  );
}

function signatureOf(model: string, own: readonly Deployment[]): string {
  const named = own.find(({ provider }) => provider !== undefined)?.provider;
  if (named !== undefined) return `provider ${named}`;
  return own.some(isLimited) ? `model ${model}` : `keys ${keysOf(own)}`;
}

function weight(deployments: readonly Deployment[]): number {
  return new Set(deployments.map(({ model }) => model)).size + (isWildcard(deployments) ? 1e6 : 0);
}

function isWildcard(deployments: readonly Deployment[]): boolean {
  return deployments.some(({ model }) => model === '*');
}

function isLimited({ limits }: Deployment): boolean {
  return Object.values(limits).some((limit) => limit !== undefined);
}

function keysOf(deployments: readonly Deployment[]): string {
  return [...new Set(deployments.map(({ credential }) => variableOf(credential)))].sort().join(' ');
}
