// The port to where keys are kept: by their keyed hash, never by themselves. A store that is away rejects.

import type { KeyScope } from './key-scope.ts';
import type { Organization } from './organization.ts';

export type StoredKey = {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** HMAC-SHA-256 of the key; see api-key.ts. */
  readonly hash: string;
  /** The first characters, enough for a person to tell two keys apart. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly diagnostics: boolean;
  readonly monthlyBudgetNanos?: number;
  readonly requestsPerMinute?: number;
  /** Absent: every model. */
  readonly models?: readonly string[];
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly createdAt: number;
};

export type KeyWithOrganization = { readonly key: StoredKey; readonly organization: Organization };

export type KeyStore = {
  /** False when there is no such organisation. */
  create(key: StoredKey): Promise<boolean>;
  /** Revoked and expired keys are found too: whoever asks decides what that means. */
  findByHash(hash: string): Promise<KeyWithOrganization | undefined>;
  /** An organisation's keys, newest first, revoked ones included. */
  list(organizationId: string): Promise<readonly StoredKey[]>;
  /** False when the organisation has no such key. Revoking twice keeps the first moment. */
  revoke(organizationId: string, keyId: string, now: number): Promise<boolean>;
  /** Hashes revoked at or after a moment: how other servers learn of it. */
  revokedSince(since: number): Promise<readonly string[]>;
};
