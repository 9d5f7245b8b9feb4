// One entry of a provider's `keys`: an account, with the models that it serves and the names of deployments.

import { readAddress } from '../base-address.ts';
import type { Credential } from '../credentials.ts';
import type { Endpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import { type PeerMap, textOf } from '../peer-map.ts';
import { reportKey } from '../report-key.ts';
import { KEY, KEY_ADDRESS } from './left-out-keys.ts';

export type ProviderKey = {
  readonly accountName: string | undefined;
  readonly credential: Credential;
  readonly baseUrl: string | undefined;
  /** `*` for all. */
  readonly models: readonly string[];
  /** Names of callers → the vendor's names. */
  readonly aliases: ReadonlyMap<string, string>;
};

/** The account of a server without keys. */
export function keylessKey(baseUrl: string | undefined): ProviderKey {
  return {
    accountName: undefined,
    credential: 'none',
    baseUrl,
    models: ['*'],
    aliases: new Map(),
  };
}

export function readKey(
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
