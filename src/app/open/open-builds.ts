// Opens build events on a store: the event store, the watch that wakes live readers, and the job store's hooks for both.
// `pollMs` is for stores that other processes or a product also write to; elsewhere the hooks see every event.

import { createBuildEventStore } from '../../adapters/sql/build-events.ts';
import {
  createJobProgress,
  type JobOwner,
  type JobProgress,
} from '../../adapters/sql/jobs/job-progress.ts';
import type { SqlStore } from '../../adapters/sql/sql-dialect.ts';
import type { BuildEventStore } from '../../events/build-event-store.ts';
import { type BuildWatch, createBuildWatch } from '../../events/watch-builds.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';

export type Builds = {
  readonly events: BuildEventStore;
  readonly watch: BuildWatch;
  /** For the job store: writes a move's build events, and wakes their readers. */
  readonly progress: JobProgress;
  readonly onChanged: (job: JobOwner) => void;
};

/** One query per poll, and only while a build has a live reader. */
export const BUILD_POLL_MS = 500;

export function openBuilds(
  store: SqlStore,
  parts: {
    readonly clock: Clock;
    readonly log: Log;
    readonly lifecycle: Lifecycle;
    readonly pollMs?: number;
    readonly unownedOrganization?: string | undefined;
  },
): Builds {
  const { clock, log, lifecycle, pollMs } = parts;
  const events = createBuildEventStore(store, parts);
  const watch = createBuildWatch({ store: events, clock, pollMs });
  lifecycle.onClose('build watch', () => watch.close());
  const onChanged = ({ organizationId, publicId }: JobOwner) =>
    watch.changed({ organizationId, buildId: publicId });
  const progress = createJobProgress({ ...store, clock, log, onOutput: onChanged });
  return { events, watch, progress, onChanged };
}
