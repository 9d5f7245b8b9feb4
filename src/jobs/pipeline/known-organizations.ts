// Whether an organisation exists, remembered for a short while where it does: a burst of messages of other systems names
// few of them. One that is not known is asked about each time, because it may be made at any moment.

import type { Clock } from '../../kernel/clock.ts';

export type OrganizationExists = (id: string) => Promise<boolean>;

const REMEMBERED_MS = 5000;
const MAX_REMEMBERED = 10_000;

export function rememberOrganizations(
  exists: OrganizationExists,
  clock: Pick<Clock, 'monotonic'>,
): OrganizationExists {
  const knownUntil = new Map<string, number>();
  return async (id) => {
    if ((knownUntil.get(id) ?? 0) > clock.monotonic()) return true;
    if (!(await exists(id))) return false;
    if (knownUntil.size >= MAX_REMEMBERED) knownUntil.clear();
    knownUntil.set(id, clock.monotonic() + REMEMBERED_MS);
    return true;
  };
}
