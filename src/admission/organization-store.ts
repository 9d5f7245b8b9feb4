// The port to where organisations are kept. A store that is away rejects; the hot path lives on what it has
// cached and everything else answers CAPACITY_EXHAUSTED.

import type { Organization, OrganizationChange } from './organization.ts';
import { DEFAULT_ORGANIZATION_ID, newOrganization } from './organization.ts';

export type OrganizationStore = {
  /** False when the id is taken; then nothing is changed. */
  create(organization: Organization): Promise<boolean>;
  find(id: string): Promise<Organization | undefined>;
  /** In order of id, beginning after `after`. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Organization[]>;
  /** The organisation as it is now, or undefined when there is none. */
  update(id: string, change: OrganizationChange, now: number): Promise<Organization | undefined>;
  /** Those that are new or were changed since then; for servers that remember what others change. */
  changedSince(since: number): Promise<readonly Organization[]>;
};

/** Made at the first start, so that a fresh gateway serves somebody. Later starts leave it as it is. */
export async function ensureDefaultOrganization(
  store: OrganizationStore,
  now: number,
): Promise<Organization> {
  const fresh = newOrganization({ id: DEFAULT_ORGANIZATION_ID, name: 'Default' }, now);
  await store.create(fresh);
  return (await store.find(DEFAULT_ORGANIZATION_ID)) ?? fresh;
}
