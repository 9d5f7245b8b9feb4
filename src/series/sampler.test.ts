import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createSeriesStore } from '../adapters/sql/series/series-store.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { recentFigures } from './recent-figures.ts';
import { EMPTY_SAMPLE } from './sample.ts';
import { startSampler } from './sampler.ts';
import { RESOLUTIONS_MS, type SeriesRow, type SeriesStore } from './series-store.ts';

const MINUTE = RESOLUTIONS_MS[0];

async function rig() {
  const clock = createTestClock();
  const sqlite = await openSqlite(':memory:');
  const store = createSeriesStore(sqlite.db);
  const totals = { value: EMPTY_SAMPLE };
  const outages: unknown[] = [];
  let isDown = false;
  const saved: SeriesRow[][] = [];
  const failing: Pick<SeriesStore, 'save'> = {
    save(rows) {
      if (isDown) return Promise.reject(new Error('down'));
      saved.push([...rows]);
      return store.save(rows);
    },
  };
  const start = (source: string) =>
    startSampler({
      store: failing,
      source,
      readCounters: () => totals.value,
      clock,
      onUnavailable: (cause) => outages.push(cause),
    });
  return {
    clock,
    store,
    saved,
    outages,
    start,
    count: (requests: number) => {
      totals.value = { ...totals.value, requests: totals.value.requests + requests };
    },
    setDown: (value: boolean) => {
      isDown = value;
    },
    minutes: async (): Promise<readonly (readonly [number, number])[]> => {
      const range = { resolutionMs: MINUTE, stepMs: MINUTE, from: 0, to: clock.now() + MINUTE };
      const read = await store.read(range);
      return read.map(({ at, sample }) => [at, sample.requests] as const);
    },
    close: () => sqlite.close(),
  };
}

test('a minute has one row, which is replaced while the minute lasts', async () => {
  const { clock, start, count, minutes, close } = await rig();
  const begin = clock.now();
  count(100);
  const sampler = start('a');
  for (const requests of [1, 2, 4]) {
    count(requests);
    await clock.advance(5000);
  }
  assert.deepEqual(await minutes(), [[begin, 7]]);
  await clock.advance(MINUTE);
  assert.deepEqual(await minutes(), [
    [begin, 7],
    [begin + MINUTE, 0],
  ]);
  await sampler.close();
  await close();
});

test('growth up to the end of a minute counts for that minute', async () => {
  const { clock, start, count, minutes, close } = await rig();
  const begin = clock.now();
  const sampler = start('a');
  await clock.advance(58_000);
  count(3);
  await clock.advance(2_000);
  assert.deepEqual(await minutes(), [[begin, 3]]);
  await sampler.close();
  await close();
});

test('the present minute includes growth that no sample has seen', async () => {
  const { clock, start, count, close } = await rig();
  const sampler = start('a');
  count(1);
  await clock.advance(5000);
  count(2);
  assert.deepEqual(
    [sampler.presentMinute().at, sampler.presentMinute().sample.requests],
    [clock.now() - 5000, 3],
  );
  await sampler.close();
  await close();
});

test('rows collect during an outage, are reported once, and are saved after it', async () => {
  const { clock, start, count, minutes, setDown, outages, close } = await rig();
  const begin = clock.now();
  const sampler = start('a');
  setDown(true);
  for (let minute = 0; minute < 3; minute += 1) {
    count(1);
    await clock.advance(MINUTE);
  }
  assert.deepEqual(await minutes(), []);
  assert.equal(outages.length, 1);
  setDown(false);
  await clock.advance(5000);
  assert.deepEqual(
    (await minutes()).map(([, requests]) => requests),
    [1, 1, 1, 0],
  );
  assert.equal((await minutes())[0]?.[0], begin);
  await sampler.close();
  await close();
});

test('the rows of an outage are bounded: the oldest are dropped', async () => {
  const { clock, start, count, saved, setDown, close } = await rig();
  const sampler = start('a');
  setDown(true);
  for (let minute = 0; minute < 1000; minute += 1) {
    count(1);
    await clock.jump(MINUTE);
    await sampler.sample();
  }
  setDown(false);
  await sampler.sample();
  assert.ok((saved.at(-1)?.length ?? 0) <= 700);
  await sampler.close();
  await close();
});

test('a restart within a minute adds to the minute, and a close saves the last sample', async () => {
  const { clock, start, count, store, close } = await rig();
  const first = start('a/1');
  count(5);
  await first.close();
  const second = start('a/2');
  count(7);
  await second.close();
  const figures = await recentFigures(store, 1, clock.now());
  assert.equal(figures.requests, 12);
  await close();
});
