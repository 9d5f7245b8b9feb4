// Follows the changes that other servers make to callers: revoked keys and changed organisations. It polls the store
// every two seconds, so that a change takes effect everywhere within five, and drops the whole cache once a minute.
// While the store is unavailable the cached callers keep working.

import type { KeyStore } from '../admission/key-store.ts';
import type { Organization } from '../admission/organization.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';

const POLL_MS = 2000;
const REFRESH_ALL_MS = 60_000;
/** Covers the difference between the clocks of servers. */
const OVERLAP_MS = 60_000;

/** The cached callers of this server, notified of changes in the store. */
export type CallerCache = {
  organizationChanged(organization: Organization): void;
  keyRevoked(hash: string): void;
};

export type FollowCallersParts = {
  readonly keys: Pick<KeyStore, 'revokedSince'>;
  readonly organizations: Pick<OrganizationStore, 'changedSince'>;
  readonly callers: CallerCache;
  /** Drops all cached callers. */
  readonly refreshAll: () => Promise<void>;
  readonly clock: Clock;
};

export function followCallers(parts: FollowCallersParts): Repetition {
  const { clock } = parts;
  let refreshedAt = clock.now();
  /** A reported change drops all cached callers, so each version of an organisation is reported once. */
  let seen: ReadonlySet<string> = new Set();

  async function poll(): Promise<void> {
    const now = clock.now();
    for (const hash of await parts.keys.revokedSince(now - OVERLAP_MS))
      parts.callers.keyRevoked(hash);
    const changed = await parts.organizations.changedSince(now - OVERLAP_MS);
    for (const each of changed)
      if (!isNew(each) && !seen.has(versionOf(each))) parts.callers.organizationChanged(each);
    seen = new Set(changed.map(versionOf));
    if (now - refreshedAt < REFRESH_ALL_MS) return;
    await parts.refreshAll();
    refreshedAt = now;
  }

  return every(clock, POLL_MS, poll);
}

/** A new organisation is in no cache. */
function isNew({ createdAt, updatedAt }: Organization): boolean {
  return createdAt === updatedAt;
}

function versionOf({ id, updatedAt }: Organization): string {
  return `${id} ${updatedAt}`;
}
