// Samples this process's counters every few seconds and saves the growth as one row per resolution: the present
// interval of each is replaced until it is over. An interval without growth is saved once, so that zero differs from a
// gap. While the store is unavailable rows collect in memory up to a bound, the oldest dropped first; the first save
// after the outage stores them. A restart begins a new source: its rows are added to the rows of the previous process.

import type { Clock } from '../kernel/clock.ts';
import { every } from '../kernel/every.ts';
import { addSamples, EMPTY_SAMPLE, isEmptySample, type Sample, subtractSample } from './sample.ts';
import { RESOLUTIONS_MS, type SeriesRow, type SeriesStore } from './series-store.ts';

export type SamplerParts = {
  readonly store: Pick<SeriesStore, 'save'>;
  /** This start of this server; unique in the cluster. */
  readonly source: string;
  readonly readCounters: () => Sample;
  readonly clock: Clock;
  /** Called once per outage. */
  readonly onUnavailable: (cause: unknown) => void;
};

export type Sampler = {
  /** The growth since the start of the current minute. */
  presentMinute(): { readonly at: number; readonly sample: Sample };
  /** This process's totals since its start. */
  totals(): Sample;
  /** The growth that is not in the store yet. */
  sinceLastSample(): Sample;
  /** Takes a sample and saves it; never rejects. */
  sample(): Promise<void>;
  /** Saves the last sample. Idempotent. */
  close(): Promise<void>;
};

const SAMPLE_INTERVAL_MS = 5000;
/** Rows of about eight hours; a row takes less than a kilobyte. */
const MAX_UNSAVED_ROWS = 700;

export function startSampler(parts: SamplerParts): Sampler {
  const { clock, readCounters } = parts;
  const rows = new RowBuffer(parts);
  let totals = readCounters();
  let sampledAt = clock.now();

  function take(): void {
    const now = clock.now();
    const next = readCounters();
    // The middle of the time since the last sample decides the interval: a sample on the hour belongs to the hour before.
    rows.add(Math.min(now, (sampledAt + now) / 2), subtractSample(next, totals));
    totals = next;
    sampledAt = now;
  }

  async function sample(): Promise<void> {
    take();
    await rows.save();
  }

  // Aligned to the wall clock, so that the samples of a minute end with it.
  const work = every(clock, () => SAMPLE_INTERVAL_MS - (clock.now() % SAMPLE_INTERVAL_MS), sample);
  return {
    presentMinute() {
      const now = clock.now();
      const at = now - (now % RESOLUTIONS_MS[0]);
      const growth = subtractSample(readCounters(), totals);
      return { at, sample: addSamples(rows.minute(at), growth) };
    },
    totals: readCounters,
    sinceLastSample: () => subtractSample(readCounters(), totals),
    sample,
    async close() {
      await work.close();
      await sample();
    },
  };
}

/** The rows that are not saved yet, and the current row of each resolution. */
class RowBuffer {
  readonly #parts: SamplerParts;
  readonly #present = new Map<number, SeriesRow>();
  readonly #unsaved = new Map<string, SeriesRow>();
  #isUnavailable = false;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
  }

  add(at: number, growth: Sample): void {
    for (const resolutionMs of RESOLUTIONS_MS) {
      const startsAt = Math.floor(at / resolutionMs) * resolutionMs;
      const present = this.#present.get(resolutionMs);
      const isNew = present?.startsAt !== startsAt;
      if (!isNew && isEmptySample(growth)) continue;
      const sample = addSamples(isNew ? EMPTY_SAMPLE : present.sample, growth);
      const row = { source: this.#parts.source, resolutionMs, startsAt, sample };
      this.#present.set(resolutionMs, row);
      this.#unsaved.set(`${resolutionMs} ${startsAt}`, row);
    }
    for (const key of this.#unsaved.keys()) {
      if (this.#unsaved.size <= MAX_UNSAVED_ROWS) break;
      this.#unsaved.delete(key);
    }
  }

  minute(at: number): Sample {
    const row = this.#present.get(RESOLUTIONS_MS[0]);
    return row?.startsAt === at ? row.sample : EMPTY_SAMPLE;
  }

  async save(): Promise<void> {
    const rows = [...this.#unsaved];
    if (rows.length === 0) return;
    try {
      await this.#parts.store.save(rows.map(([, row]) => row));
      // A row that changed during the save stays unsaved.
      for (const [key, row] of rows) if (this.#unsaved.get(key) === row) this.#unsaved.delete(key);
      this.#isUnavailable = false;
    } catch (cause) {
      if (!this.#isUnavailable) this.#parts.onUnavailable(cause);
      this.#isUnavailable = true;
    }
  }
}
