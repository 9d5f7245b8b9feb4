// Operations on organisations. Each change is recorded in the audit log, written to the store, then reported to
// `onChanged`, so that caches drop the old values before the next request. Values arrive validated.

import { randomBytes } from 'node:crypto';
import type { ErrorParams } from '../errors/codes.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AuditedAction, Auditor, Operator } from './administer-audit.ts';
import {
  DEFAULT_ORGANIZATION_ID,
  newOrganization,
  type Organization,
  type OrganizationChange,
} from './organization.ts';
import type {
  OrganizationList,
  OrganizationPage,
  OrganizationStore,
} from './organization-store.ts';

export type NewOrganization = Partial<
  Omit<Organization, 'webhookSecret' | 'createdAt' | 'updatedAt'>
>;

export type AdministerOrganizations = {
  /** Throws CONFLICT if the id is taken. Without an id a random one is generated. */
  create(operator: Operator, given: NewOrganization): Promise<Organization>;
  /** Throws NOT_FOUND, as do `change` and `renewWebhookSecret`. */
  get(id: string): Promise<Organization>;
  list(page: OrganizationPage): Promise<OrganizationList>;
  change(operator: Operator, id: string, change: OrganizationChange): Promise<Organization>;
  /** Replaces the secret that signs callbacks; the new one is shown once, the old one stops working at once. */
  renewWebhookSecret(operator: Operator, id: string): Promise<string>;
  /**
   * Throws CONFLICT for the organisation `default`, and for unfinished jobs unless `isForced`, which cancels them. Keys are
   * revoked, usage and budgets are kept, and the id stays taken.
   */
  delete(operator: Operator, id: string, options: { readonly isForced: boolean }): Promise<void>;
  /** Throws NOT_FOUND for an id that never existed: reports cover deleted organisations. */
  requireKnown(id: string): Promise<void>;
};

/** The waiting and running jobs of an organisation. */
export type OrganizationJobs = {
  exist(organizationId: string): Promise<boolean>;
  cancelAll(organizationId: string): Promise<void>;
};

export type AdministerOrganizationsParts = {
  readonly organizations: OrganizationStore;
  readonly jobs: OrganizationJobs;
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

  async function remove(operator: Operator, id: string, isForced: boolean): Promise<void> {
    await get(id);
    if (id === DEFAULT_ORGANIZATION_ID)
      throw conflict('permanent', 'the organisation default cannot be deleted');
    if (!isForced && (await parts.jobs.exist(id)))
      throw conflict('unfinished_jobs', 'the organisation has waiting or running jobs');
    await auditor.record(operator, audited('delete', id, { force: isForced }));
    const deleted = await organizations.delete(id, clock.now());
    if (!deleted) throw new SpillwayError('NOT_FOUND', 'no such organisation');
    parts.onChanged(deleted);
    // After the revocation of the keys, so that no further job can be submitted.
    await parts.jobs.cancelAll(id);
  }

  return {
    async create(operator, given) {
      const id = given.id ?? `org_${randomBytes(8).toString('hex')}`;
      const fresh = newOrganization({ ...given, id }, clock.now());
      if (await organizations.isTaken(id)) throw conflict('taken', 'the id is taken');
      await auditor.record(operator, audited('create', id, given));
      if (!(await organizations.create(fresh))) throw conflict('taken', 'the id is taken');
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
    delete: (operator, id, { isForced }) => remove(operator, id, isForced),
    async requireKnown(id) {
      if (!(await organizations.isTaken(id)))
        throw new SpillwayError('NOT_FOUND', 'no such organisation');
    },
  };
}

function audited(verb: string, id: string, data?: AuditedAction['data']) {
  return { action: `organization.${verb}`, target: id, organizationId: id, data };
}

/** A retry of the same request cannot succeed: a deleted id stays taken, and jobs may take days. */
function conflict(kind: NonNullable<ErrorParams['conflict']>, message: string): SpillwayError {
  return new SpillwayError('CONFLICT', message, { retryable: false, params: { conflict: kind } });
}
