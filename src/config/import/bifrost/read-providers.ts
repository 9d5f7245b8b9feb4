// `providers`: each key of a provider becomes an account, for the models that it lists. Limits that governance gives to a
// provider or to a model are divided by its accounts, because Spillway counts them per account.

import type { Deployment } from '../deployment.ts';
import type { LimitsDraft } from '../draft.ts';
import { type Endpoint, findEndpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { CUSTOM_PROVIDER, PROVIDER } from './left-out-keys.ts';
import type { GovernedLimits } from './read-governed-limits.ts';
import { keylessKey, type ProviderKey, readKey } from './read-keys.ts';
import { readNetwork } from './read-network.ts';

export type BifrostProvider = {
  readonly name: string;
  readonly deployments: readonly Deployment[];
  readonly aliases: ReadonlyMap<string, string>;
};

export function readProviders(
  root: PeerMap,
  limits: GovernedLimits,
  context: ImportContext,
): readonly BifrostProvider[] {
  const providers = root.map('providers');
  return (providers?.entries ?? []).flatMap(({ key: name }) => {
    const provider = providers?.map(name);
    const read = provider && readProvider(name, provider, limits, context);
    return read ? [read] : [];
  });
}

function readProvider(
  name: string,
  provider: PeerMap,
  limits: GovernedLimits,
  context: ImportContext,
): BifrostProvider | undefined {
  const custom = provider.map('custom_provider_config');
  const base = custom?.text('base_provider_type');
  const found = findEndpoint(base?.value ?? name);
  if (!found || 'reason' in found) {
    context.findings.leftOut(
      provider.node,
      found ? found.reason : 'its vendor is not known to Spillway',
    );
    return undefined;
  }
  const isKeyless = custom?.boolean('is_key_less')?.value ?? found.endpoint.isKeyless ?? false;
  const endpoint = { ...found.endpoint, isKeyless };
  const network = readNetwork(provider, context);
  const keys = provider
    .maps('keys')
    .flatMap((key) => readKey(key, name, endpoint, network.baseUrl, context) ?? []);
  reportWeights(name, provider.maps('keys'), context);
  const all = keys.length > 0 || !isKeyless ? keys : [keylessKey(network.baseUrl)];
  if (base) context.findings.taken(base.node, `providers.${name}`);
  const keyless = custom?.get('is_key_less');
  if (keyless) context.findings.taken(keyless, `providers.${name}`);
  custom?.close(CUSTOM_PROVIDER);
  provider.close(PROVIDER);
  const isCustom = custom !== undefined;
  return {
    name,
    deployments: deploy({ name, endpoint, keys: all, isCustom }, limits),
    aliases: new Map(all.flatMap((key) => [...key.aliases])),
  };
}

function reportWeights(name: string, keys: readonly PeerMap[], { findings }: ImportContext): void {
  const weights = keys.flatMap((key) => key.number('weight') ?? []);
  const areEqual = new Set(weights.map(({ value }) => value)).size === 1;
  for (const { node } of weights)
    if (areEqual) findings.taken(node, `providers.${name}: accounts take turns`);
    else
      findings.changed(
        node,
        `providers.${name}`,
        'accounts take equal turns; there are no weights',
      );
}

type Site = {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly keys: readonly ProviderKey[];
  readonly isCustom: boolean;
};

/** One deployment per model and key that serves it; a key for all models serves each of them. */
function deploy(site: Site, limits: GovernedLimits): readonly Deployment[] {
  const { name, endpoint, keys, isCustom } = site;
  const models = new Set([
    ...keys.flatMap((key) => [...key.models, ...key.aliases.values()]),
    ...limits.modelsOf(name),
  ]);
  return [...models].flatMap((model) => {
    const serving = keys.filter(
      (key) =>
        key.models.includes(model) ||
        (model !== '*' && (key.models.includes('*') || [...key.aliases.values()].includes(model))),
    );
    const ofModel = limits.ofModel(name, model);
    const ofProvider = limits.ofProvider(name);
    const limit = divide(ofModel ?? ofProvider ?? {}, serving.length);
    const isShared = ofModel === undefined && (ofProvider !== undefined || isCustom);
    return serving.map(({ credential, accountName, baseUrl }) => ({
      endpoint,
      baseUrl,
      model,
      credential,
      accountName,
      limits: limit,
      provider: isShared ? name : undefined,
    }));
  });
}

function divide(limits: LimitsDraft, accounts: number): LimitsDraft {
  return Object.fromEntries(
    Object.entries(limits).map(([key, limit]) => [key, Math.max(1, Math.floor(limit / accounts))]),
  );
}
