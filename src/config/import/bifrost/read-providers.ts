// `providers`: each key of a provider becomes an account, for the models that it lists. Limits that governance gives to a
// provider or to a model are divided by its accounts, because Spillway counts them per account.

import { readAddress } from '../base-address.ts';
import type { Credential } from '../credentials.ts';
import type { Deployment } from '../deployment.ts';
import type { LimitsDraft } from '../draft.ts';
import { type Endpoint, findEndpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import { type PeerMap, textOf } from '../peer-map.ts';
import { reportKey } from '../report-key.ts';
import { CUSTOM_PROVIDER, KEY, KEY_ADDRESS, PROVIDER } from './left-out-keys.ts';
import type { GovernedLimits } from './read-governed-limits.ts';
import { readNetwork } from './read-network.ts';

export type ProviderKey = {
  readonly accountName: string | undefined;
  readonly credential: Credential;
  readonly baseUrl: string | undefined;
  /** `*` for all. */
  readonly models: readonly string[];
  /** Names of callers → the vendor's names. */
  readonly aliases: ReadonlyMap<string, string>;
};

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

function keylessKey(baseUrl: string | undefined): ProviderKey {
  return {
    accountName: undefined,
    credential: 'none',
    baseUrl,
    models: ['*'],
    aliases: new Map(),
  };
}

function readKey(
  key: PeerMap,
  provider: string,
  endpoint: Endpoint,
  networkUrl: string | undefined,
  context: ImportContext,
): ProviderKey | undefined {
  const { findings, lookUp } = context;
  const leave = (reason: string): undefined => {
    findings.leftOut(key.node, reason);
    return undefined;
  };
  const [name, value] = [key.text('name'), key.text('value')];
  if (key.number('weight')?.value === 0) return leave('a key of weight 0 receives no calls');
  if (key.boolean('enabled')?.value === false) return leave('it is not enabled');
  const listed = key.get('models');
  const models = key.list('models').map(textOf);
  if (listed && models.length === 0) return leave('it allows no model');
  const stated = readKeyAddress(key, provider, findings) ?? networkUrl;
  const reference = /^env\.(.+)$/.exec(stated ?? '')?.[1];
  const address = readAddress(endpoint, stated, reference, lookUp);
  if ('reason' in address) return leave(address.reason);
  const credential = keyOf(value, provider, endpoint, context);
  if (credential === undefined) return leave('it has no value');
  const to = `providers.${provider}`;
  if (name) findings.taken(name.node, to);
  if (listed) findings.taken(listed, to);
  const enabled = key.get('enabled');
  if (enabled) findings.taken(enabled, to);
  const aliases = readAliases(key, findings);
  key.close(KEY);
  return {
    accountName: name?.value,
    credential,
    baseUrl: address.baseUrl,
    models: models.length === 0 ? ['*'] : models,
    aliases,
  };
}

function keyOf(
  value: ReturnType<PeerMap['text']>,
  provider: string,
  endpoint: Endpoint,
  { credentials, findings }: ImportContext,
): Credential | undefined {
  if (!value || value.value === '') return endpoint.isKeyless ? 'none' : undefined;
  const variable = credentials.fromText(value.node.path, value.value, `${provider}_API_KEY`);
  reportKey(findings, value.node, variable);
  return { variable: variable.name };
}

/** Parts of a key that state an address; credentials of cloud platforms are left out. */
const ADDRESS_CONFIGS = [
  'azure_key_config',
  'ollama_key_config',
  'sgl_key_config',
  'vllm_key_config',
];

function readKeyAddress(
  key: PeerMap,
  provider: string,
  findings: ImportContext['findings'],
): string | undefined {
  const configs = ADDRESS_CONFIGS.flatMap((name) => key.map(name) ?? []);
  const [address] = configs.flatMap(
    (config) => config.text('endpoint') ?? config.text('url') ?? [],
  );
  if (address) findings.taken(address.node, `the base URL of ${provider}`);
  for (const config of configs) config.close(KEY_ADDRESS);
  return address?.value;
}

/** `{ name: model-id }`, or `{ name: { model_id, … } }`. */
function readAliases(
  key: PeerMap,
  findings: ImportContext['findings'],
): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const { key: alias, node } of key.map('aliases')?.entries ?? []) {
    const model = node.entries?.find((entry) => entry.key === 'model_id')?.node ?? node;
    if (typeof model.scalar !== 'string') {
      findings.leftOut(node, 'it has no model_id');
      continue;
    }
    aliases.set(alias, model.scalar);
    const rest = (node.entries ?? []).length > 1;
    if (rest) findings.changed(node, `aliases.${alias}`, 'only model_id is used');
    else findings.taken(node, `aliases.${alias}`);
  }
  return aliases;
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
