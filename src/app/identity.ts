// The id and the keys of this server: from the configuration, else generated once and stored in the data folder, where
// only the owner can read them.

import { randomBytes } from 'node:crypto';
import type { DataFolder } from '../adapters/files/data-folder.ts';
import { makeApiKey } from '../admission/api-key.ts';
import type { Config } from '../config/config.ts';

/** `generated`: at this start; `stored`: at an earlier one. */
export type KeySource = 'configured' | 'generated' | 'stored';

export type Identity = {
  readonly serverId: string;
  readonly adminKey: string;
  /** The operator's key for the organisation `default`; in a cluster undefined unless it is configured. */
  readonly apiKey: string | undefined;
  readonly apiKeySource: KeySource;
};

export function loadIdentity(config: Config, folder: DataFolder): Identity {
  const isEmbedded = config.storage.databaseUrl === undefined;
  let generatedApiKey: string | undefined;
  const apiKey =
    config.auth.apiKey ??
    (isEmbedded
      ? folder.getOrCreate('api-key', () => (generatedApiKey = makeApiKey()))
      : undefined);
  return {
    serverId:
      config.cluster.serverId ??
      folder.getOrCreate('server-id', () => `srv-${randomBytes(6).toString('hex')}`),
    adminKey:
      config.auth.adminKey ??
      folder.getOrCreate('admin-key', () => `adm-spill-${randomBytes(24).toString('base64url')}`),
    apiKey,
    apiKeySource: sourceOf(config.auth.apiKey, apiKey, generatedApiKey),
  };
}

function sourceOf(
  configured: string | undefined,
  apiKey: string | undefined,
  generated: string | undefined,
): KeySource {
  if (configured !== undefined) return 'configured';
  return apiKey !== undefined && apiKey === generated ? 'generated' : 'stored';
}
