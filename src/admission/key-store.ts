// The port to the stored keys. The store holds keyed hashes and never the keys; an unavailable store rejects.

import type { KeyScope } from './key-scope.ts';
import type { Organization } from './organization.ts';

export type StoredKey = {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** HMAC-SHA-256 of the key; see api-key.ts. */
  readonly hash: string;
  /** The first characters, so that a person can distinguish two keys. */
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
  /** False for an unknown organisation. */
  create(key: StoredKey): Promise<boolean>;
  /** Also finds revoked and expired keys; the caller checks for them. */
  findByHash(hash: string): Promise<KeyWithOrganization | undefined>;
  /** An organisation's keys, newest first, revoked ones included. */
  list(organizationId: string): Promise<readonly StoredKey[]>;
  /** False if the organisation has no such key. Idempotent: the first timestamp stays. */
  revoke(organizationId: string, keyId: string, now: number): Promise<boolean>;
  /** Hashes of the keys revoked at or after a timestamp, for servers that cache them. */
  revokedSince(since: number): Promise<readonly string[]>;
};
