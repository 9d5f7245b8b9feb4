// Wakes a build's live readers when the build may have a new event. Events of this process wake them immediately; events
// of other processes are found by polling: one query for all builds with a reader, and none while there is no reader.
// While the store is unavailable, polling continues.

import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { BuildKey } from './build-event.ts';
import type { BuildEventStore } from './build-event-store.ts';

export type BuildWatch = {
  /** Returns a function that ends the watch. */
  watch(build: BuildKey, wake: () => void): () => void;
  /** This process has stored an event of the build. */
  changed(build: BuildKey): void;
  /** Idempotent; waits for the query in flight. */
  close(): Promise<void>;
};

export type BuildWatchParts = {
  readonly store: Pick<BuildEventStore, 'latest'>;
  readonly clock: Clock;
  /** The polling interval; absent where no other process writes events. */
  readonly pollMs?: number | undefined;
};

type Followed = { readonly build: BuildKey; readonly wakes: Set<() => void>; lastId?: number };

export function createBuildWatch({ store, clock, pollMs }: BuildWatchParts): BuildWatch {
  const followed = new Map<string, Followed>();
  let cancelTimer: CancelTimer | undefined;
  let polling: Promise<void> | undefined;
  let isClosed = false;

  function schedulePoll(): void {
    if (pollMs === undefined || isClosed || cancelTimer || polling || followed.size === 0) return;
    cancelTimer = clock.after(pollMs, () => {
      cancelTimer = undefined;
      polling = poll().finally(() => {
        polling = undefined;
        schedulePoll();
      });
    });
  }

  async function poll(): Promise<void> {
    try {
      const found = await store.latest([...followed.values()].map(({ build }) => build));
      for (const { id, ...build } of found) wakeIfNew(followed.get(keyOf(build)), id);
    } catch {
      // The store is unavailable: readers report it, and the next poll tries again.
    }
  }

  return {
    watch(build, wake) {
      const key = keyOf(build);
      const known = followed.get(key) ?? { build, wakes: new Set() };
      followed.set(key, known);
      known.wakes.add(wake);
      schedulePoll();
      return () => {
        known.wakes.delete(wake);
        if (known.wakes.size === 0 && followed.get(key) === known) followed.delete(key);
      };
    },
    changed(build) {
      for (const wake of followed.get(keyOf(build))?.wakes ?? []) wake();
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      await polling;
    },
  };
}

/** The first poll wakes the readers too: an event may have come between their last read and their watch. */
function wakeIfNew(known: Followed | undefined, id: number): void {
  if (!known || known.lastId === id) return;
  known.lastId = id;
  for (const wake of known.wakes) wake();
}

function keyOf({ organizationId, buildId }: BuildKey): string {
  return `${organizationId}/${buildId}`;
}
