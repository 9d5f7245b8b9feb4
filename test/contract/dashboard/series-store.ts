// The contract of the port SeriesStore. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { EMPTY_SAMPLE, LATENCY_BINS, type Sample } from '../../../src/series/sample.ts';
import {
  RESOLUTIONS_MS,
  type SeriesRow,
  type SeriesStore,
} from '../../../src/series/series-store.ts';

export type OpenedSeriesStore = { readonly series: SeriesStore; close(): Promise<void> };

const MIDNIGHT = Date.UTC(2026, 2, 1);
const MINUTE = RESOLUTIONS_MS[0];
const HOUR = { resolutionMs: MINUTE, stepMs: MINUTE, from: MIDNIGHT, to: MIDNIGHT + 60 * MINUTE };

export function seriesStoreContract(adapter: string, open: () => Promise<OpenedSeriesStore>): void {
  describe(`samples on ${adapter}`, () => {
    let opened: OpenedSeriesStore;
    let series: SeriesStore;
    beforeEach(async () => {
      opened = await open();
      series = opened.series;
    });
    afterEach(() => opened.close());

    it('returns every figure unchanged', async () => {
      const sample: Sample = {
        requests: 1,
        inputTokens: 2,
        outputTokens: 3,
        costNanos: 4_000_000_000_000,
        retries: 5,
        rateLimited: 6,
        jobsIn: 7,
        jobsOut: 8,
        jobsFailed: 9,
        jobsDelayed: 10,
        errors: { RATE_LIMITED: 11, INTERNAL: 12 },
        latency: Array.from({ length: LATENCY_BINS }, (_, bin) => bin + 13),
      };
      await series.save([row(0, sample)]);
      assert.deepEqual(await series.read(HOUR), [{ at: MIDNIGHT, sample }]);
    });

    it('replaces a row that is saved again', async () => {
      await series.save([row(0, { requests: 1, errors: { INTERNAL: 1 } })]);
      await series.save([row(0, { requests: 3, errors: { INTERNAL: 2 } })]);
      assert.partialDeepStrictEqual(await series.read(HOUR), [
        { sample: { requests: 3, errors: { INTERNAL: 2 } } },
      ]);
    });

    it('sums over sources, and over the intervals of a step', async () => {
      await series.save([
        row(0, { requests: 1, errors: { INTERNAL: 1 } }, 'a'),
        row(0, { requests: 2, errors: { INTERNAL: 1, RATE_LIMITED: 1 } }, 'b'),
        row(4, { requests: 4 }, 'a'),
        row(5, { requests: 8 }, 'a'),
      ]);
      const read = await series.read({ ...HOUR, stepMs: 5 * MINUTE });
      assert.deepEqual(
        read.map(({ at, sample }) => [at, sample.requests, sample.errors]),
        [
          [MIDNIGHT, 7, { INTERNAL: 2, RATE_LIMITED: 1 }],
          [MIDNIGHT + 5 * MINUTE, 8, {}],
        ],
      );
    });

    it('reads one resolution, from `from` until before `to`', async () => {
      await series.save([
        row(-1, { requests: 1 }),
        row(1, { requests: 2 }),
        row(60, { requests: 4 }),
        { ...row(0, { requests: 8 }), resolutionMs: RESOLUTIONS_MS[1] },
      ]);
      const read = await series.read(HOUR);
      assert.deepEqual(
        read.map(({ sample }) => sample.requests),
        [2],
      );
    });

    it('saves more rows than one statement has', async () => {
      const rows = Array.from({ length: 450 }, (_, minute) =>
        row(minute, { requests: 1, errors: { INTERNAL: 1 } }),
      );
      await series.save(rows);
      const read = await series.read({ ...HOUR, to: MIDNIGHT + 450 * MINUTE });
      assert.equal(read.length, 450);
      assert.ok(read.every(({ sample }) => sample.errors['INTERNAL'] === 1));
    });

    it('deletes the rows of intervals that began before a timestamp, in every resolution', async () => {
      await series.save([
        row(0, { requests: 1, errors: { INTERNAL: 1 } }),
        { ...row(0, { requests: 1 }), resolutionMs: RESOLUTIONS_MS[2] },
        row(1, { requests: 2, errors: { INTERNAL: 1 } }),
      ]);
      assert.equal(await series.prune(MIDNIGHT + MINUTE), 2);
      const read = await series.read(HOUR);
      assert.deepEqual(
        read.map(({ at }) => at),
        [MIDNIGHT + MINUTE],
      );
    });

    it('accepts an empty save and reads an empty range', async () => {
      await series.save([]);
      assert.deepEqual(await series.read(HOUR), []);
    });
  });
}

function row(minute: number, sample: Partial<Sample>, source = 'server/run_1'): SeriesRow {
  return {
    source,
    resolutionMs: RESOLUTIONS_MS[0],
    startsAt: MIDNIGHT + minute * MINUTE,
    sample: { ...EMPTY_SAMPLE, ...sample },
  };
}
