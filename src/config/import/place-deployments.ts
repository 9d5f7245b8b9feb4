// Arranges a peer's deployments (a model at an address with a key) as providers of spillway.yaml. The accounts of one
// Spillway provider serve all of its models, so deployments share a provider only if every key serves every model of it
// and no model has limits of its own; otherwise a model would be called with a key that the peer never used for it, or
// two models would share one limit.

import { variableOf } from './credentials.ts';
import { type Deployment, isNative } from './deployment.ts';
import type { ProviderDraft } from './draft.ts';
import { draftProvider } from './draft-provider.ts';
import { nameProvider } from './provider-name.ts';

export type Placement = {
  /** In the order of spillway.yaml. */
  readonly providers: readonly ProviderDraft[];
  /** The target of a deployment, as `provider/model`. */
  readonly targetOf: (deployment: Deployment) => string;
  readonly providerOf: (deployment: Deployment) => string;
};

/** Deployments that become one provider. */
type Group = { readonly deployments: Deployment[] };

export function placeDeployments(deployments: readonly Deployment[]): Placement {
  const groups = [...Map.groupBy(deployments, addressKeyOf).values()].flatMap(groupsOfAddress);
  const taken = new Set<string>();
  const names = new Map<Deployment, string>();
  const providers = groups.map((group) => {
    const name = nameProvider(group.deployments, taken);
    for (const deployment of group.deployments) names.set(deployment, name);
    return draftProvider(group.deployments, name);
  });
  const providerOf = (deployment: Deployment): string => names.get(deployment) ?? '';
  return {
    providers,
    providerOf,
    targetOf: (deployment) => `${providerOf(deployment)}/${deployment.model}`,
  };
}

function addressKeyOf(deployment: Deployment): string {
  const { endpoint, baseUrl, provider } = deployment;
  return [endpoint.name, baseUrl ?? '', provider ?? '', isNative(deployment)].join(' ');
}

/** The models of one address, grouped by the keys that serve them; a model with limits is a group of its own. */
function groupsOfAddress(deployments: readonly Deployment[]): readonly Group[] {
  const byModel = Map.groupBy(deployments, ({ model }) => model);
  const bySignature = new Map<string, Group>();
  for (const [model, own] of byModel) {
    const signature = signatureOf(model, own);
    const group = bySignature.get(signature) ?? { deployments: [] };
    group.deployments.push(...own);
    bySignature.set(signature, group);
  }
  // The provider with the most models gets the plain name.
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
