// What other servers on the same store do to callers: they revoke keys and change organisations. Both are asked for
// every two seconds, so that they hold everywhere within five; everything is asked anew once a minute. A store that is
// away is asked again; until then what is known goes on serving.

import type { KeyStore } from '../admission/key-store.ts';
import type { Organization } from '../admission/organization.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { CallerMemory } from './administration.ts';

const LOOK_EVERY_MS = 2000;
const EVERYTHING_EVERY_MS = 60_000;
/** Clocks of servers differ. */
const OVERLAP_MS = 60_000;

export type FollowCallersParts = {
  readonly keys: Pick<KeyStore, 'revokedSince'>;
  readonly organizations: Pick<OrganizationStore, 'changedSince'>;
  readonly callers: CallerMemory;
  /** Forgets all that is remembered of callers. */
  readonly askAnew: () => Promise<void>;
  readonly clock: Clock;
};

/** Gives what ends it. */
export function followCallers(parts: FollowCallersParts): () => void {
  const { clock } = parts;
  let cancel: CancelTimer;
  let isClosed = false;
  let askedAnewAt = clock.now();
  /** Forgetting is for all callers and not for nothing, so what was seen before is no news. */
  let seen: ReadonlySet<string> = new Set();

  async function look(): Promise<void> {
    const now = clock.now();
    for (const hash of await parts.keys.revokedSince(now - OVERLAP_MS))
      parts.callers.keyRevoked(hash);
    const changed = await parts.organizations.changedSince(now - OVERLAP_MS);
    for (const each of changed)
      if (!isNew(each) && !seen.has(versionOf(each))) parts.callers.organizationChanged(each);
    seen = new Set(changed.map(versionOf));
    if (now - askedAnewAt < EVERYTHING_EVERY_MS) return;
    await parts.askAnew();
    askedAnewAt = now;
  }

  function schedule(): void {
    cancel = clock.after(LOOK_EVERY_MS, () => {
      void look()
        .catch(() => {})
        .finally(() => {
          if (!isClosed) schedule();
        });
    });
  }

  schedule();
  return () => {
    isClosed = true;
    cancel();
  };
}

/** Nobody remembers it yet. */
function isNew({ createdAt, updatedAt }: Organization): boolean {
  return createdAt === updatedAt;
}

function versionOf({ id, updatedAt }: Organization): string {
  return `${id} ${updatedAt}`;
}
