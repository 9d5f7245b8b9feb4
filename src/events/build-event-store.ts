// The port to where build events are kept. Whoever reads a build after the last id it saw misses none: events of one
// build can be seen in the order of their ids. A store that is away rejects.

import type { BuildEvent, BuildKey, NewBuildEvent } from './build-event.ts';

export type BuildEventPage = {
  readonly buildId: string;
  /** Absent: of all organisations, and of none, for operators. */
  readonly organizationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly after: number;
  readonly limit: number;
};

export type BuildEventStore = {
  /** All or none, in this order. Their ids, in the same order. Throws INVALID_REQUEST for what cannot be kept. */
  append(events: readonly NewBuildEvent[]): Promise<readonly number[]>;
  list(page: BuildEventPage): Promise<readonly BuildEvent[]>;
  /** The last id of each build, 0 where there is no event: for whoever follows many builds at once. */
  latest(builds: readonly BuildKey[]): Promise<readonly (BuildKey & { readonly id: number })[]>;
  /** Forgets up to `limit` events that happened before a moment; how many they were. */
  forget(before: number, limit: number): Promise<number>;
};
