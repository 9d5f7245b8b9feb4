// `credential_list`: keys and addresses that deployments share by name.

import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, type PeerMap, type Read } from '../peer-map.ts';

export type NamedCredential = {
  readonly apiKey: Read<string> | undefined;
  readonly apiBase: Read<string> | undefined;
};

export type NamedCredentials = ReadonlyMap<string, NamedCredential>;

export function readNamedCredentials(root: PeerMap, { findings }: ImportContext): NamedCredentials {
  const named = new Map<string, NamedCredential>();
  for (const entry of root.maps('credential_list')) {
    const name = entry.text('credential_name');
    const values = entry.map('credential_values');
    if (!name || !values) {
      findings.leftOut(entry.node, 'it has no credential_name or no credential_values');
      continue;
    }
    named.set(name.value, { apiKey: values.text('api_key'), apiBase: values.text('api_base') });
    findings.taken(name.node, 'the providers of the deployments that name it');
    values.close(VALUES);
    entry.close(ENTRY);
  }
  return named;
}

const VALUES = leftOutKeys({
  'only api_key and api_base are used':
    'api_version organization aws_access_key_id aws_secret_access_key aws_region_name vertex_project ' +
    'vertex_location vertex_credentials azure_ad_token custom_llm_provider',
});
const ENTRY = leftOutKeys({ 'a note of LiteLLM': 'credential_info' });
