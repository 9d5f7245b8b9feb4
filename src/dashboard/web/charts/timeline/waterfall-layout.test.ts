import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Timeline, TimelineSpan } from '../../../api/requests.ts';
import { waterfallLayout } from './waterfall-layout.ts';

function span(startedAt: number, endedAt: number | null): TimelineSpan {
  return {
    kind: 'attempt',
    label: 'attempt 1',
    reason: null,
    startedAt,
    endedAt,
    status: 'good',
    provider: null,
    model: null,
    code: null,
    costUsd: null,
  };
}

function timeline(endedAt: number | null, spans: readonly TimelineSpan[]): Timeline {
  const figures = { costUsd: null, inputTokens: null, outputTokens: null };
  return { startedAt: 1000, endedAt, spans, outcome: 'OK', ...figures };
}

test('spans are shares of the whole time and an instant has no width', () => {
  const { rows, totalMs, ticks } = waterfallLayout(
    timeline(2000, [span(1000, 1500), span(1500, 2000), span(1750, 1750)]),
    9999,
  );
  assert.equal(totalMs, 1000);
  assert.deepEqual(
    rows.map(({ leftPercent }) => leftPercent),
    [0, 50, 75],
  );
  assert.deepEqual(
    rows.map(({ widthPercent }) => widthPercent),
    [50, 50, 0],
  );
  assert.equal(rows[2]?.figure, '+750 ms');
  assert.equal(ticks.at(-1), '1.0 s');
});

test('a span that lasts ends at the present time', () => {
  const { rows, totalMs } = waterfallLayout(timeline(null, [span(1500, null)]), 3000);
  assert.equal(totalMs, 2000);
  assert.deepEqual([rows[0]?.widthPercent, rows[0]?.isRunning], [75, true]);
});

test('no span leaves the picture', () => {
  const time = fc.integer({ min: 1000, max: 100_000 });
  const lengths = fc.array(fc.tuple(time, fc.option(fc.nat(5000))), { maxLength: 6 });
  fc.assert(
    fc.property(lengths, time, (spans, now) => {
      const made = spans.map(([start, length]) =>
        span(start, length === null ? null : start + length),
      );
      for (const row of waterfallLayout(timeline(null, made), now).rows) {
        assert.ok(row.leftPercent + row.widthPercent <= 100.001);
      }
    }),
  );
});
