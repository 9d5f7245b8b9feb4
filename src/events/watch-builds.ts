// Wakes whoever follows a build when it may have a new event. What happens in this process is told at once. What other
// processes write is found by looking: one question for all builds that are followed here, however many follow them,
// and none while nobody does. While the store is away nothing is found, and looking goes on.

import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { BuildKey } from './build-event.ts';
import type { BuildEventStore } from './build-event-store.ts';

export type BuildWatch = {
  /** Returns what ends the watching. */
  watch(build: BuildKey, wake: () => void): () => void;
  /** Something happened to the build in this process. */
  changed(build: BuildKey): void;
  /** Idempotent; waits for a question under way. */
  close(): Promise<void>;
};

export type BuildWatchParts = {
  readonly store: Pick<BuildEventStore, 'latest'>;
  readonly clock: Clock;
  /** How often to look for what others write; absent where there are no others. */
  readonly lookEveryMs?: number | undefined;
};

type Followed = { readonly build: BuildKey; readonly wakes: Set<() => void>; lastId?: number };

export function createBuildWatch({ store, clock, lookEveryMs }: BuildWatchParts): BuildWatch {
  const followed = new Map<string, Followed>();
  let cancelTimer: CancelTimer | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;

  function lookLater(): void {
    if (lookEveryMs === undefined || isClosed || cancelTimer || looking || followed.size === 0)
      return;
    cancelTimer = clock.after(lookEveryMs, () => {
      cancelTimer = undefined;
      looking = look().finally(() => {
        looking = undefined;
        lookLater();
      });
    });
  }

  async function look(): Promise<void> {
    try {
      const found = await store.latest([...followed.values()].map(({ build }) => build));
      for (const { id, ...build } of found) notice(followed.get(nameOf(build)), id);
    } catch {
      // The store is away. Whoever reads it says so; here the next look is the remedy.
    }
  }

  return {
    watch(build, wake) {
      const name = nameOf(build);
      const known = followed.get(name) ?? { build, wakes: new Set() };
      followed.set(name, known);
      known.wakes.add(wake);
      lookLater();
      return () => {
        known.wakes.delete(wake);
        if (known.wakes.size === 0 && followed.get(name) === known) followed.delete(name);
      };
    },
    changed(build) {
      for (const wake of followed.get(nameOf(build))?.wakes ?? []) wake();
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      await looking;
    },
  };
}

/** The first look wakes too: what came between reading and watching is not to wait for the next event. */
function notice(known: Followed | undefined, id: number): void {
  if (!known || known.lastId === id) return;
  known.lastId = id;
  for (const wake of known.wakes) wake();
}

function nameOf({ organizationId, buildId }: BuildKey): string {
  return `${organizationId}/${buildId}`;
}
