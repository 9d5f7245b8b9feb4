// Operations on an organisation's keys. A key is shown once, in the response that creates it; the store holds its hash.
// A revocation is in force on this server when the request is answered.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Auditor, Operator } from './administer-audit.ts';
import { displayPrefix, hashApiKey, makeApiKey } from './api-key.ts';
import { DEFAULT_KEY_SCOPES } from './key-scope.ts';
import type { KeyStore, StoredKey } from './key-store.ts';
import type { OrganizationStore } from './organization-store.ts';

export type NewKey = Partial<
  Pick<
    StoredKey,
    | 'name'
    | 'scopes'
    | 'diagnostics'
    | 'monthlyBudgetNanos'
    | 'requestsPerMinute'
    | 'models'
    | 'expiresAt'
  >
>;

export type AdministerKeys = {
  /** Throws NOT_FOUND for an unknown organisation, as do `list` and `revoke`. */
  create(
    operator: Operator,
    organizationId: string,
    given: NewKey,
  ): Promise<{ readonly key: string; readonly stored: StoredKey }>;
  list(organizationId: string): Promise<readonly StoredKey[]>;
  /** Also throws NOT_FOUND for an unknown key. Idempotent. */
  revoke(operator: Operator, organizationId: string, keyId: string): Promise<void>;
};

export type AdministerKeysParts = {
  readonly keys: KeyStore;
  readonly organizations: Pick<OrganizationStore, 'find'>;
  readonly auditor: Auditor;
  readonly hashKey: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly onRevoked: (hash: string) => void;
};

export function administerKeys(parts: AdministerKeysParts): AdministerKeys {
  const { keys, auditor, clock } = parts;

  async function requireOrganization(id: string): Promise<void> {
    if (!(await parts.organizations.find(id))) throw notFound('organisation');
  }

  return {
    async create(operator, organizationId, given) {
      await requireOrganization(organizationId);
      const key = makeApiKey();
      const stored = toStoredKey(parts, organizationId, key, given);
      await auditor.record(operator, audited('create', stored, given));
      if (!(await keys.create(stored))) throw notFound('organisation');
      return { key, stored };
    },
    async list(organizationId) {
      await requireOrganization(organizationId);
      return keys.list(organizationId);
    },
    async revoke(operator, organizationId, keyId) {
      const stored = (await keys.list(organizationId)).find((key) => key.id === keyId);
      if (!stored) throw notFound('key');
      await auditor.record(operator, audited('revoke', stored));
      await keys.revoke(organizationId, keyId, clock.now());
      parts.onRevoked(stored.hash);
    },
  };
}

function toStoredKey(
  { hashKey, clock, newId }: AdministerKeysParts,
  organizationId: string,
  key: string,
  given: NewKey,
): StoredKey {
  const id = newId('key');
  return {
    name: id,
    scopes: DEFAULT_KEY_SCOPES,
    diagnostics: false,
    ...given,
    id,
    organizationId,
    hash: hashApiKey(key, hashKey),
    prefix: displayPrefix(key),
    createdAt: clock.now(),
  };
}

function audited(verb: string, { id, organizationId }: StoredKey, data?: NewKey) {
  return { action: `key.${verb}`, target: id, organizationId, data };
}

function notFound(what: string): SpillwayError {
  return new SpillwayError('NOT_FOUND', `no such ${what}`);
}
