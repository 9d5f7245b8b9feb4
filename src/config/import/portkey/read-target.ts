// A target of a Portkey config: a leaf names a provider and optionally a model, a branch has its own strategy and
// targets. A leaf without a model gets the caller's model.

import { readAddress } from '../base-address.ts';
import type { Deployment } from '../deployment.ts';
import { type EndpointLookup, endpointOfSlug, findEndpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap, Read } from '../peer-map.ts';
import type { PeerNode } from '../peer-node.ts';
import { reportKey } from '../report-key.ts';
import { CONFIG, OVERRIDE_REASON, TARGET_ONLY } from './left-out-keys.ts';
import { deploymentOf, type Vault } from './read-vault.ts';

export type Leaf = {
  readonly kind: 'leaf';
  readonly name: string | undefined;
  /** Undefined: the caller's model. */
  readonly model: string | undefined;
  readonly deploy: (model: string) => Deployment;
  /** Reported with the targets of the alias. */
  readonly nodes: readonly PeerNode[];
};

export function readLeaf(
  target: PeerMap,
  vault: Vault,
  context: ImportContext,
  isRoot: boolean,
): Leaf | undefined {
  const leave = (reason: string): undefined => {
    context.findings.leftOut(target.node, reason);
    return undefined;
  };
  if (target.boolean('passthrough')?.value)
    return leave('the caller chooses the provider: provider/model');
  const override = readOverride(target, context);
  const slug = slugOf(target, override);
  const stated = slug === undefined ? target.text('provider') : undefined;
  if (slug === undefined && !stated) return leave('it names no provider');
  const known = slug === undefined ? undefined : vault.get(slug);
  const found: EndpointLookup | undefined =
    known ?? (slug === undefined ? findEndpoint(stated?.value ?? '') : endpointOf(target, slug));
  if (!found) return leave('its vendor is not known to Spillway');
  if ('reason' in found) return leave(found.reason);
  const address = known ? { baseUrl: known.baseUrl } : readHost(target, found, context);
  if ('reason' in address) return leave(address.reason);
  const nodes = NODES.flatMap((key) => target.get(key) ?? []);
  if (override.model) nodes.push(override.model.node);
  const base = known
    ? deploymentOf(known, '*')
    : {
        endpoint: found.endpoint,
        baseUrl: address.baseUrl,
        model: '*',
        limits: {},
        credential: readKey(target, slug, found, context),
        ...(slug !== undefined && { provider: slug }),
      };
  target.close(isRoot ? CONFIG : new Map([...CONFIG, ...TARGET_ONLY]));
  const model = override.model
    ? withoutSlug(override.model.value)
    : target.text('deployment_id')?.value;
  return {
    kind: 'leaf',
    name: target.text('name')?.value,
    model:
      model ??
      target.text('azure_deployment_id')?.value ??
      target.text('azure_deployment_name')?.value,
    deploy: (given) => ({ ...base, model: given }),
    nodes,
  };
}

/** The keys of a leaf that are reported together with its targets. */
const NODES = [
  'provider',
  'virtual_key',
  'api_key',
  'custom_host',
  'resource_name',
  'azure_resource_name',
  'deployment_id',
  'azure_deployment_id',
  'azure_deployment_name',
  'passthrough',
  'name',
];

type Override = { readonly model: Read<string> | undefined };

function readOverride(target: PeerMap, { findings }: ImportContext): Override {
  const params = target.map('override_params');
  const model = params?.text('model');
  for (const { key, node } of params?.entries ?? [])
    if (key !== 'model') findings.leftOut(node, OVERRIDE_REASON);
  return { model };
}

/** The slug of a vault entry: `@openai-prod`, `@openai-prod/gpt-4o` as the model, or a virtual key. */
function slugOf(target: PeerMap, { model }: Override): string | undefined {
  const provider = target.text('provider')?.value;
  if (provider?.startsWith('@')) return provider.slice(1);
  const virtual = target.text('virtual_key')?.value;
  if (virtual !== undefined) return virtual;
  return /^@([^/]+)\//.exec(model?.value ?? '')?.[1];
}

function withoutSlug(model: string): string {
  return model.replace(/^@[^/]+\//, '');
}

/** A virtual key next to a plain provider belongs to that vendor; otherwise its slug names the vendor. */
function endpointOf(target: PeerMap, slug: string): EndpointLookup | undefined {
  const provider = target.text('provider')?.value;
  if (provider !== undefined && !provider.startsWith('@')) return findEndpoint(provider);
  return endpointOfSlug(slug);
}

function readHost(
  target: PeerMap,
  { endpoint }: Extract<EndpointLookup, { endpoint: unknown }>,
  { lookUp }: ImportContext,
): ReturnType<typeof readAddress> {
  const resource = target.text('resource_name') ?? target.text('azure_resource_name');
  const host = resource && `https://${resource.value}.openai.azure.com`;
  return readAddress(endpoint, target.text('custom_host')?.value ?? host, undefined, lookUp);
}

function readKey(
  target: PeerMap,
  slug: string | undefined,
  { endpoint }: Extract<EndpointLookup, { endpoint: unknown }>,
  { credentials, findings }: ImportContext,
): Deployment['credential'] {
  const key = target.text('api_key');
  if (key) {
    const name = `${slug ?? endpoint.name}_API_KEY`;
    const variable = credentials.fromText(key.node.path, key.value, name);
    reportKey(findings, key.node, variable);
    return { variable: variable.name };
  }
  if (endpoint.isKeyless) return 'none';
  return { variable: credentials.fromVault(target.node.path, slug ?? endpoint.name).name };
}
