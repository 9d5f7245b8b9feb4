// Providers that Portkey keeps in its vault: `integrations` of the open-source gateway's conf.json, `virtual_keys` and
// `providers` of the admin API. Configs refer to them by their slug. Keys stay in the vault or are in the file; either
// way they become variables.

import type { Credential } from '../credentials.ts';
import type { Deployment } from '../deployment.ts';
import type { LimitsDraft } from '../draft.ts';
import { type Endpoint, endpointOfSlug, findEndpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, type PeerMap } from '../peer-map.ts';
import { reportKey } from '../report-key.ts';
import { VAULT_ENTRY, VAULT_MODEL } from './left-out-keys.ts';
import { readRateLimits } from './read-limits.ts';

export type VaultEntry = {
  readonly slug: string;
  readonly endpoint: Endpoint;
  readonly credential: Credential;
  readonly baseUrl: string | undefined;
  readonly limits: LimitsDraft;
  /** The models that the entry lists. */
  readonly models: readonly string[];
};

export type Vault = ReadonlyMap<string, VaultEntry>;

const LISTS = ['integrations', 'virtual_keys', 'providers'];

export function readVault(document: PeerMap, context: ImportContext): Vault {
  const vault = new Map<string, VaultEntry>();
  for (const entry of LISTS.flatMap((list) => document.maps(list))) {
    const read = readVaultEntry(entry, context);
    if (read) vault.set(read.slug, read);
  }
  return vault;
}

function readVaultEntry(entry: PeerMap, context: ImportContext): VaultEntry | undefined {
  const { findings } = context;
  const leave = (reason: string): undefined => {
    findings.leftOut(entry.node, reason);
    return undefined;
  };
  const slug = entry.text('slug') ?? entry.text('name');
  const vendor = entry.text('provider') ?? entry.text('ai_provider_id');
  if (!slug) return leave('it has no slug');
  const status = entry.text('status');
  if (status && status.value !== 'active') return leave('it is not active');
  const found = vendor ? findEndpoint(vendor.value) : endpointOfSlug(slug.value);
  if (!found) return leave('its vendor is not known to Spillway');
  if ('reason' in found) return leave(found.reason);
  const { endpoint } = found;
  const address = readResource(entry);
  if (endpoint.baseUrl === undefined && address === undefined)
    return leave(`it states no address of its ${endpoint.name} server`);
  const to = `providers of ${slug.value}`;
  const credential = readKey(entry, slug.value, context);
  const limits = readRateLimits(entry, to, ALL_LIMITS, context);
  const models = readModels(entry, to, context);
  for (const node of [slug, vendor, status].flatMap((read) => read?.node ?? []))
    findings.taken(node, to);
  const resource = entry.get('resource_name') ?? entry.get('custom_host');
  if (resource) findings.taken(resource, to);
  entry.close(VAULT_ENTRY);
  return { slug: slug.value, endpoint, credential, baseUrl: address, limits, models };
}

const ALL_LIMITS = ['requestsPerMinute', 'tokensPerMinute', 'tokensPerDay'] as const;

function readResource(entry: PeerMap): string | undefined {
  const resource = entry.text('resource_name') ?? entry.text('resourceName');
  if (resource) return `https://${resource.value}.openai.azure.com`;
  return entry.text('custom_host')?.value;
}

function readKey(
  entry: PeerMap,
  slug: string,
  { credentials, findings }: ImportContext,
): Credential {
  const nested = entry.map('credentials');
  const key = nested?.text('apiKey') ?? nested?.text('api_key') ?? entry.text('key');
  nested?.close(CREDENTIALS);
  if (!key) return { variable: credentials.fromVault(entry.node.path, slug).name };
  const variable = credentials.fromText(key.node.path, key.value, `${slug}_API_KEY`);
  reportKey(findings, key.node, variable);
  return { variable: variable.name };
}

const CREDENTIALS = leftOutKeys({
  'credentials of a cloud platform are not supported; use an API key':
    'awsAccessKeyId awsSecretAccessKey awsRegion awsRoleArn vertexProjectId vertexRegion vertexServiceAccountJson ' +
    'azureAuthMode azureEntraTenantId azureEntraClientId azureEntraClientSecret resourceName deploymentId apiVersion',
});

function readModels(entry: PeerMap, to: string, { findings }: ImportContext): readonly string[] {
  return entry.maps('models').flatMap((model) => {
    const slug = model.text('slug');
    const status = model.text('status');
    const isActive = model.boolean('enabled')?.value ?? (status?.value ?? 'active') === 'active';
    if (!slug || !isActive) {
      findings.leftOut(model.node, 'it is not active');
      return [];
    }
    for (const key of ['slug', 'status', 'enabled']) {
      const node = model.get(key);
      if (node) findings.taken(node, to);
    }
    model.close(VAULT_MODEL);
    return [slug.value];
  });
}

/** The deployment of a model at an entry; its models share the entry's limits. */
export function deploymentOf(entry: VaultEntry, model: string): Deployment {
  const { slug, endpoint, credential, baseUrl, limits } = entry;
  return { endpoint, baseUrl, model, credential, limits, provider: slug };
}
