// One entry of `model_list`: a model at a vendor with a key and limits, under the name that callers use.

import { toAliasName } from '../alias-name.ts';
import { readAddress } from '../base-address.ts';
import type { Credential } from '../credentials.ts';
import type { Deployment } from '../deployment.ts';
import type { LimitsDraft } from '../draft.ts';
import { type Endpoint, findEndpoint } from '../endpoints.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap, Read } from '../peer-map.ts';
import type { PeerNode } from '../peer-node.ts';
import { reportKey } from '../report-key.ts';
import type { NamedCredentials } from './read-credentials.ts';

export type ModelEntry = {
  /** `model_name`: the name that callers use; several entries form a group. */
  readonly group: string;
  readonly map: PeerMap;
  readonly modelNode: PeerNode;
  readonly params: PeerMap;
  readonly info: PeerMap | undefined;
  readonly deployment: Deployment;
  /** The vendor's prefix in the file, such as `together_ai`. */
  readonly vendor: string;
  readonly weight: Read<number> | undefined;
  readonly order: Read<number> | undefined;
  /** Reported with the provider. */
  readonly taken: readonly PeerNode[];
};

export function readEntry(
  entry: PeerMap,
  context: ImportContext,
  named: NamedCredentials,
): ModelEntry | undefined {
  const leave = (reason: string): undefined => {
    context.findings.leftOut(entry.node, reason);
    return undefined;
  };
  const group = entry.text('model_name');
  const params = entry.map('litellm_params');
  if (!group || !params) return leave('it has no model_name or no litellm_params');
  const model = params.text('model');
  if (!model) return leave('it names no model');
  const stated = params.text('custom_llm_provider');
  const vendor = vendorOf(model.value, stated?.value);
  const found = vendor && findEndpoint(vendor.name);
  if (!vendor || !found) return leave('its vendor is not known to Spillway');
  if ('reason' in found) return leave(found.reason);
  const credentials = readCredentials(params, context, named, found.endpoint);
  if ('reason' in credentials) return leave(credentials.reason);
  const name = toAliasName(group.value);
  if (name !== group.value)
    context.findings.changed(
      group.node,
      `aliases.${name}`,
      'a name has no spaces; callers use this one',
    );
  const limits = readLimits(entry, params);
  const { baseUrl, credential, nodes } = credentials;
  return {
    group: name,
    map: entry,
    modelNode: model.node,
    params,
    info: entry.map('model_info'),
    vendor: vendor.name,
    deployment: {
      endpoint: found.endpoint,
      baseUrl,
      credential,
      model: vendor.model,
      limits: limits.limits,
    },
    weight: params.number('weight'),
    order: params.number('order'),
    taken: [group.node, ...(stated ? [stated.node] : []), ...nodes, ...limits.nodes],
  };
}

type Vendor = { readonly name: string; readonly model: string };

/** `openai/gpt-4o`, or `gpt-4o` with the vendor in another key or known by the model's name. */
function vendorOf(text: string, stated: string | undefined): Vendor | undefined {
  const [prefix = '', ...rest] = text.split('/');
  const model = rest.join('/').replace(/^responses\//, '');
  if (model !== '' && findEndpoint(prefix)) return { name: prefix, model };
  if (stated !== undefined) return { name: stated, model: text };
  if (rest.length > 0) return undefined;
  if (text.startsWith('claude')) return { name: 'anthropic', model: text };
  if (text.startsWith('gemini')) return { name: 'vertex_ai', model: text };
  return { name: 'openai', model: text };
}

type ReadKey =
  | {
      readonly credential: Credential;
      readonly baseUrl: string | undefined;
      readonly nodes: readonly PeerNode[];
    }
  | { readonly reason: string };

function readCredentials(
  params: PeerMap,
  { credentials, findings, lookUp }: ImportContext,
  named: NamedCredentials,
  endpoint: Endpoint,
): ReadKey {
  const name = params.text('litellm_credential_name');
  const shared = name && named.get(name.value);
  if (name && !shared) return { reason: `credential_list has no ${name.value}` };
  const key = params.text('api_key') ?? shared?.apiKey;
  const base = params.text('api_base') ?? params.text('base_url') ?? shared?.apiBase;
  const reference = base && /^os\.environ\/(.+)$/.exec(base.value)?.[1];
  const address = readAddress(endpoint, base?.value, reference, lookUp);
  if ('reason' in address) return address;
  const nodes = [name, base].flatMap((read) => (read ? [read.node] : []));
  const suggested = `${endpoint.name}_API_KEY`;
  if (key) {
    const variable = credentials.fromText(key.node.path, key.value, suggested);
    reportKey(findings, key.node, variable);
    return { credential: { variable: variable.name }, baseUrl: address.baseUrl, nodes };
  }
  if (endpoint.isKeyless) return { credential: 'none', baseUrl: address.baseUrl, nodes };
  // Without a key LiteLLM reads the vendor's usual variable.
  const usual = `os.environ/${suggested.toUpperCase().replaceAll('-', '_')}`;
  const { name: variable } = credentials.fromText(params.node.path, usual, suggested);
  return { credential: { variable }, baseUrl: address.baseUrl, nodes };
}

function readLimits(
  entry: PeerMap,
  params: PeerMap,
): { readonly limits: LimitsDraft; readonly nodes: readonly PeerNode[] } {
  // Older files state the limits next to litellm_params, not in it.
  const [rpm, tpm] = (['rpm', 'tpm'] as const).map((key) => [
    params.number(key),
    entry.number(key),
  ]);
  const [requests, tokens] = [smallest(rpm), smallest(tpm)];
  const limits = {
    ...(requests !== undefined && { requestsPerMinute: requests }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
  const read = [...(rpm ?? []), ...(tpm ?? [])];
  return { limits, nodes: read.flatMap((each) => each?.node ?? []) };
}

function smallest(limits: readonly (Read<number> | undefined)[] = []): number | undefined {
  const values = limits.flatMap((limit) => limit?.value ?? []);
  return values.length === 0 ? undefined : Math.max(1, Math.floor(Math.min(...values)));
}
