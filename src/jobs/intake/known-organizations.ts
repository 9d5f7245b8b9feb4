// Caches for five seconds that an organisation exists: a burst of messages from other systems names few organisations.
// A missing organisation is not cached, because it may be created at any time.

import type { Clock } from '../../kernel/clock.ts';

export type OrganizationExists = (id: string) => Promise<boolean>;

const CACHED_MS = 5000;
const MAX_CACHED = 10_000;

export function cacheKnownOrganizations(
  exists: OrganizationExists,
  clock: Pick<Clock, 'monotonic'>,
): OrganizationExists {
  const knownUntil = new Map<string, number>();
  return async (id) => {
    if ((knownUntil.get(id) ?? 0) > clock.monotonic()) return true;
    if (!(await exists(id))) return false;
    if (knownUntil.size >= MAX_CACHED) knownUntil.clear();
    knownUntil.set(id, clock.monotonic() + CACHED_MS);
    return true;
  };
}
