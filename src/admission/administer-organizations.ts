// Operations on organisations. Each change is recorded in the audit log, written to the store, then reported to
// `onChanged`, so that caches drop the old values before the next request. Values arrive validated.

import { randomBytes } from 'node:crypto';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Auditor, Operator } from './administer-audit.ts';
import { newOrganization, type Organization, type OrganizationChange } from './organization.ts';
import type { OrganizationStore } from './organization-store.ts';

export type NewOrganization = Partial<
  Omit<Organization, 'webhookSecret' | 'createdAt' | 'updatedAt'>
>;

export type AdministerOrganizations = {
  /** Throws CONFLICT if the id is taken. Without an id a random one is generated. */
  create(operator: Operator, given: NewOrganization): Promise<Organization>;
  /** Throws NOT_FOUND, as do `change` and `renewWebhookSecret`. */
  get(id: string): Promise<Organization>;
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Organization[]>;
  change(operator: Operator, id: string, change: OrganizationChange): Promise<Organization>;
  /** Replaces the secret that signs callbacks; the new one is shown once, the old one stops working at once. */
  renewWebhookSecret(operator: Operator, id: string): Promise<string>;
};

export type AdministerOrganizationsParts = {
  readonly organizations: OrganizationStore;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly onChanged: (organization: Organization) => void;
};

/** Standard Webhooks: 24 to 64 bytes. */
const WEBHOOK_SECRET_BYTES = 32;

export function administerOrganizations(
  parts: AdministerOrganizationsParts,
): AdministerOrganizations {
  const { organizations, auditor, clock } = parts;

  async function get(id: string): Promise<Organization> {
    const organization = await organizations.find(id);
    if (organization) return organization;
    throw new SpillwayError('NOT_FOUND', 'no such organisation');
  }

  async function update(id: string, change: OrganizationChange): Promise<Organization> {
    const changed = await organizations.update(id, change, clock.now());
    if (!changed) throw new SpillwayError('NOT_FOUND', 'no such organisation');
    parts.onChanged(changed);
    return changed;
  }

  return {
    async create(operator, given) {
      const id = given.id ?? `org_${randomBytes(8).toString('hex')}`;
      const fresh = newOrganization({ ...given, id }, clock.now());
      if (await organizations.find(id)) throw taken();
      await auditor.record(operator, audited('create', id, given));
      if (!(await organizations.create(fresh))) throw taken();
      return fresh;
    },
    get,
    list: (page) => organizations.list(page),
    async change(operator, id, change) {
      await get(id);
      await auditor.record(operator, audited('change', id, change));
      return update(id, change);
    },
    async renewWebhookSecret(operator, id) {
      await get(id);
      await auditor.record(operator, audited('renew-webhook-secret', id));
      const webhookSecret = `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;
      await update(id, { webhookSecret });
      return webhookSecret;
    },
  };
}

function audited(verb: string, id: string, data?: OrganizationChange | NewOrganization) {
  return { action: `organization.${verb}`, target: id, organizationId: id, data };
}

function taken(): SpillwayError {
  // A retry cannot succeed: organisations are never deleted.
  return new SpillwayError('CONFLICT', 'the id is taken', { retryable: false });
}
