// Readings by key that all readers share: a reading is taken at most once per `minAgeMs`, and the slower it was, the
// longer it serves, so that readings take at most a twentieth of the time, no matter how many readers ask. The number
// of keys is bounded: the oldest entry is dropped. A failed reading is not cached.

import type { Clock } from '../../kernel/clock.ts';

/** A reading of 100 ms is taken at most every 2 s. */
const TIME_SHARE = 20;
const MAX_AGE_MS = 300_000;

export type SharedReadings<T> = (key: string, read: () => Promise<T>) => Promise<T>;

export function createSharedReadings<T>(
  clock: Pick<Clock, 'monotonic'>,
  minAgeMs: number,
  maxKeys = 100,
): SharedReadings<T> {
  const entries = new Map<string, Entry<T>>();

  function start(key: string, read: () => Promise<T>): Promise<T> {
    const startedAtMs = clock.monotonic();
    const entry: Entry<T> = { value: read(), expiresAtMs: Number.POSITIVE_INFINITY };
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxKeys) break;
      entries.delete(oldest);
    }
    entry.value.then(
      () => {
        const endedAtMs = clock.monotonic();
        const ageMs = Math.max(minAgeMs, TIME_SHARE * (endedAtMs - startedAtMs));
        entry.expiresAtMs = endedAtMs + Math.min(ageMs, Math.max(minAgeMs, MAX_AGE_MS));
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry.value;
  }

  return (key, read) => {
    const known = entries.get(key);
    return known && clock.monotonic() < known.expiresAtMs ? known.value : start(key, read);
  };
}

type Entry<T> = { readonly value: Promise<T>; expiresAtMs: number };
