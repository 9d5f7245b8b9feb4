import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MAX_POINTS, RANGES_MS, seriesRange } from './series-range.ts';

const NOW = Date.UTC(2026, 2, 1, 12, 0, 30);

test('each range of the dashboard has the finest step with at most 400 intervals', () => {
  const steps = Object.values(RANGES_MS).map((ms) => seriesRange(NOW - ms, NOW, NOW).stepMs);
  assert.deepEqual(steps, [60_000, 60_000, 300_000, 1_800_000]);
});

test('the present interval is included and no later one', () => {
  const { to, stepMs } = seriesRange(NOW - 3_600_000, NOW + 86_400_000, NOW);
  assert.ok(to > NOW && to - stepMs <= NOW);
});

test('any range has between 1 and 400 aligned intervals of stored resolutions', () => {
  const time = fc.integer({ min: -1, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(
      time,
      time,
      time.filter((now) => now >= 0),
      (from, to, now) => {
        const range = seriesRange(from, to, now);
        const points = (range.to - range.from) / range.stepMs;
        assert.ok(points >= 1 && points <= MAX_POINTS, `${points} intervals`);
        assert.equal(range.from % range.stepMs, 0);
        assert.equal(range.stepMs % range.resolutionMs, 0);
      },
    ),
  );
});
