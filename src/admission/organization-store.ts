// The port to the stored organisations. A deleted organisation stays as a tombstone, which reserves its id for the usage and
// budgets that are kept under it. An unavailable store rejects; the hot path works from its cache and every other request
// gets CAPACITY_EXHAUSTED.

import type { Organization, OrganizationChange } from './organization.ts';
import { DEFAULT_ORGANIZATION_ID, newOrganization } from './organization.ts';

export type OrganizationPage = {
  readonly after?: string | undefined;
  readonly limit: number;
  /** Selects organisations with this text in their id or name, case-insensitively. */
  readonly text?: string | undefined;
};

/**
 * Sorted by id. A page with a text examines a bounded number of organisations: it may have fewer than `limit` although `next`,
 * the `after` of the next page, is defined.
 */
export type OrganizationList = {
  readonly organizations: readonly Organization[];
  readonly next: string | undefined;
};

export type OrganizationStore = {
  /** False if the id is taken, even by a tombstone; then nothing changes. */
  create(organization: Organization): Promise<boolean>;
  /** Undefined for a tombstone, as in `list` and `update`. */
  find(id: string): Promise<Organization | undefined>;
  list(page: OrganizationPage): Promise<OrganizationList>;
  /** Resolves to the changed organisation, or undefined for an unknown id. */
  update(id: string, change: OrganizationChange, now: number): Promise<Organization | undefined>;
  /**
   * Replaces the organisation by a tombstone and revokes its keys, in one transaction. Resolves to the deleted organisation,
   * or to undefined for an unknown id.
   */
  delete(id: string, now: number): Promise<Organization | undefined>;
  /** True for a tombstone, too. */
  isTaken(id: string): Promise<boolean>;
  /** Organisations created, changed or deleted since a timestamp, for servers that cache them. */
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
