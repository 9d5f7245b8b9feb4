// The port to the stored organisations. An unavailable store rejects; the hot path works from its cache and every other
// request gets CAPACITY_EXHAUSTED.

import type { Organization, OrganizationChange } from './organization.ts';
import { DEFAULT_ORGANIZATION_ID, newOrganization } from './organization.ts';

export type OrganizationStore = {
  /** False if the id is taken; then nothing changes. */
  create(organization: Organization): Promise<boolean>;
  find(id: string): Promise<Organization | undefined>;
  /** Sorted by id, starting after `after`. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Organization[]>;
  /** Resolves to the changed organisation, or undefined for an unknown id. */
  update(id: string, change: OrganizationChange, now: number): Promise<Organization | undefined>;
  /** Organisations created or changed since a timestamp, for servers that cache them. */
  changedSince(since: number): Promise<readonly Organization[]>;
};

/** Creates the organisation `default` at the first start, so that a new gateway is usable; later starts change nothing. */
export async function ensureDefaultOrganization(
  store: OrganizationStore,
  now: number,
): Promise<Organization> {
  const fresh = newOrganization({ id: DEFAULT_ORGANIZATION_ID, name: 'Default' }, now);
  await store.create(fresh);
  return (await store.find(DEFAULT_ORGANIZATION_ID)) ?? fresh;
}
