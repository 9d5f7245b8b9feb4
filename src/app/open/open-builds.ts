// Build events on the store that is being opened: where they are kept, how jobs tell theirs, and who is woken. Without
// a second process, and without a product that writes to the table itself, everything that happens is told here.

import { createBuildEventStore } from '../../adapters/sql/build-events.ts';
import {
  createJobProgress,
  type JobOwner,
  type JobProgress,
} from '../../adapters/sql/jobs/job-progress.ts';
import type { SqlStore } from '../../adapters/sql/sql-store.ts';
import type { BuildEventStore } from '../../events/build-event-store.ts';
import { type BuildWatch, createBuildWatch } from '../../events/watch-builds.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';

export type Builds = {
  readonly events: BuildEventStore;
  readonly watch: BuildWatch;
  /** For the job store: how a job's moves are told, and whom to tell of them. */
  readonly progress: JobProgress;
  readonly onChanged: (job: JobOwner) => void;
};

/** Often enough to be called live; one statement, and only while somebody follows. */
export const LOOK_EVERY_MS = 500;

export function openBuilds(
  store: SqlStore,
  parts: {
    readonly clock: Clock;
    readonly log: Log;
    readonly lifecycle: Lifecycle;
    readonly lookEveryMs?: number;
  },
): Builds {
  const { clock, log, lifecycle, lookEveryMs } = parts;
  const events = createBuildEventStore(store);
  const watch = createBuildWatch({ store: events, clock, lookEveryMs });
  lifecycle.onClose('build watch', () => watch.close());
  const onChanged = ({ organizationId, publicId }: JobOwner) =>
    watch.changed({ organizationId, buildId: publicId });
  const progress = createJobProgress({ ...store, clock, log, onOutput: onChanged });
  return { events, watch, progress, onChanged };
}
