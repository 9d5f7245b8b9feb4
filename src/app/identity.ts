// Who this server is and which keys open it: from the configuration, else made once and kept in the data
// folder. A made key is as strong as any other and readable by the folder's owner alone.

import { randomBytes } from 'node:crypto';
import type { DataFolder } from '../adapters/files/data-folder.ts';
import { makeApiKey } from '../admission/api-key.ts';
import type { Config } from '../config/config.ts';

export type Identity = {
  readonly serverId: string;
  readonly adminKey: string;
  /** The operator's key for the organisation `default`; absent where a cluster's operator set none. */
  readonly apiKey: string | undefined;
};

export function loadIdentity(config: Config, folder: DataFolder): Identity {
  const isEmbedded = config.storage.databaseUrl === undefined;
  return {
    serverId:
      config.cluster.serverId ??
      folder.getOrCreate('server-id', () => `srv-${randomBytes(6).toString('hex')}`),
    adminKey:
      config.auth.adminKey ??
      folder.getOrCreate('admin-key', () => `adm-spill-${randomBytes(24).toString('base64url')}`),
    apiKey:
      config.auth.apiKey ??
      (isEmbedded ? folder.getOrCreate('api-key', () => makeApiKey()) : undefined),
  };
}
