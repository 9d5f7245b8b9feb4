// Waits until an installation is at rest: every acknowledged job has ended, no reservation of a dead process remains,
// every result is published. It gives up after the dose's time limit; the judge counts the rest as missing.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena, Installation } from '../installation/arena.ts';
import type { Load } from '../load.ts';

const LOOK_EVERY_MS = 500;

export type EndedOptions = {
  /** Whether messages of the raw queue must have their result on the results queue. */
  readonly areResultsPublished: boolean;
};

export async function untilEnded(
  arena: Arena,
  { store, ends }: Installation,
  { jobs, acknowledged }: Load,
  { areResultsPublished }: EndedOptions,
): Promise<void> {
  const withResults = areResultsPublished ? jobs.filter(({ isRaw }) => isRaw) : [];
  const deadline = performance.now() + arena.dose.patienceMs;
  while (performance.now() < deadline) {
    // An engine may still be starting.
    const now = await store.progress().catch(() => undefined);
    const unpublished = withResults.filter(
      ({ id }) => acknowledged.has(id) && !ends.results.has(id),
    ).length;
    if (now && now.all >= acknowledged.size && now.open + now.reservations + unpublished === 0)
      return;
    arena.progress(
      now
        ? `${now.open} jobs open, ${now.reservations} reservations, ${unpublished} results unpublished`
        : 'no store',
    );
    await sleep(LOOK_EVERY_MS, undefined, { signal: arena.signal });
  }
}

/** Waits until the reservations of dead processes have been settled. */
export async function untilNothingHeld(arena: Arena, { store }: Installation): Promise<void> {
  const deadline = performance.now() + arena.dose.patienceMs;
  while (performance.now() < deadline) {
    const now = await store.progress().catch(() => undefined);
    if (now?.reservations === 0) return;
    arena.progress(`${now?.reservations ?? 'unknown'} reservations`);
    await sleep(LOOK_EVERY_MS, undefined, { signal: arena.signal });
  }
}
