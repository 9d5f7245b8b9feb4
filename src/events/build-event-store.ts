// The port to stored build events. Events of one build become visible in the order of their ids, so a reader that
// continues after the last id it read misses none. While the store is unavailable every method rejects.

import type { BuildEvent, BuildKey, NewBuildEvent } from './build-event.ts';

export type BuildEventPage = {
  readonly buildId: string;
  /** Absent for operators: events of every organisation, and rows without one. */
  readonly organizationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly after: number;
  readonly limit: number;
  /** Ends the page after the event that reaches this size; the first event is always listed. */
  readonly maxBytes?: number | undefined;
};

export type BuildEventStore = {
  /** Stores all or none, in this order, and returns their ids. Throws INVALID_REQUEST if the table refuses one. */
  append(events: readonly NewBuildEvent[]): Promise<readonly number[]>;
  list(page: BuildEventPage): Promise<readonly BuildEvent[]>;
  /** The last id of each build, 0 if it has no event. */
  latest(builds: readonly BuildKey[]): Promise<readonly (BuildKey & { readonly id: number })[]>;
  /** Deletes up to `limit` events created before then; returns their number. */
  prune(before: number, limit: number): Promise<number>;
};
