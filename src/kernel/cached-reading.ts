// A reading that is taken at most once per interval, no matter how many readers ask: concurrent readers share the
// reading in flight, later ones get its result until it is too old. A failed reading is not cached.

import type { Clock } from './clock.ts';

export function cacheReading<T>(
  clock: Pick<Clock, 'monotonic'>,
  maxAgeMs: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;

  return () => {
    const now = clock.monotonic();
    if (reading && now - startedAtMs < maxAgeMs) return reading;
    startedAtMs = now;
    const started = read();
    reading = started;
    started.catch(() => {
      if (reading === started) reading = undefined;
    });
    return started;
  };
}
