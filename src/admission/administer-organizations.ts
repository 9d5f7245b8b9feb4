// What an operator does with organisations. Each change is audited first, then made, then told to whoever
// remembers the organisation, so that the next request sees it. Values arrive checked.

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
  /** Throws CONFLICT when the id is taken. Without an id one is made. */
  create(operator: Operator, given: NewOrganization): Promise<Organization>;
  /** Throws NOT_FOUND, as do the ones below. */
  get(id: string): Promise<Organization>;
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Organization[]>;
  change(operator: Operator, id: string, change: OrganizationChange): Promise<Organization>;
  /** A new secret for signing callbacks, shown this once; the old one is void at once. */
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
      await auditor.record(operator, deed('create', id, given));
      if (!(await organizations.create(fresh))) throw taken();
      return fresh;
    },
    get,
    list: (page) => organizations.list(page),
    async change(operator, id, change) {
      await get(id);
      await auditor.record(operator, deed('change', id, change));
      return update(id, change);
    },
    async renewWebhookSecret(operator, id) {
      await get(id);
      await auditor.record(operator, deed('renew-webhook-secret', id));
      const webhookSecret = `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;
      await update(id, { webhookSecret });
      return webhookSecret;
    },
  };
}

function deed(verb: string, id: string, data?: OrganizationChange | NewOrganization) {
  return { action: `organization.${verb}`, target: id, organizationId: id, data };
}

function taken(): SpillwayError {
  // Trying again cannot help: the id will still be somebody's.
  return new SpillwayError('CONFLICT', 'the id is taken', { retryable: false });
}
