import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bucketMs,
  bucketText,
  hasValues,
  latestValue,
  pointText,
  stackLines,
  summaryText,
  totalOf,
} from './series-data.ts';

const times = [0, 60_000, 120_000];
const lines = [
  { label: 'ok', values: [1, null, 3], tone: 'accent' },
  { label: 'failed', values: [2, null, null], tone: 'bad' },
] as const;

test('stacked layers are cumulative, the top one first, and a bucket without samples stays a gap', () => {
  assert.deepEqual(stackLines(lines, 3), [
    [3, null, 3],
    [1, null, 3],
  ]);
});

test('a higher layer is never below a lower one', () => {
  const row = fc.array(fc.option(fc.nat(1000)), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const layers = stackLines(
        rows.map((values) => ({ label: 'a', values, tone: 'accent' as const })),
        4,
      );
      for (let layer = 1; layer < layers.length; layer += 1) {
        for (let index = 0; index < 4; index += 1) {
          assert.ok((layers[layer - 1]?.[index] ?? 0) >= (layers[layer]?.[index] ?? 0));
        }
      }
    }),
  );
});

test('the text of a bucket states every series and names a gap as no data', () => {
  const text = pointText({ times, lines }, 2, String, (at) => `+${at / 60_000} min`);
  assert.equal(text, '+2 min: ok 3, failed no data');
  assert.equal(pointText({ times, lines }, 9, String), 'no data');
});

test('the summary gives the latest and the highest value of every series', () => {
  const data = { times: [0], lines: [{ label: 'ok', values: [null], tone: 'accent' as const }] };
  assert.equal(summaryText(data, String), 'ok: no data.');
  assert.match(
    summaryText({ times, lines }, String),
    /^ok: latest 3, highest 3 at \d\d:\d\d\. failed: latest 2/,
  );
  assert.equal(hasValues(data), false);
  assert.equal(latestValue([1, 2, null]), 2);
  assert.equal(bucketMs({ times, lines: [] }), 60_000);
});

test('a total leaves gaps out, and a line of gaps has none', () => {
  assert.equal(totalOf([1, null, 2]), 3);
  assert.equal(totalOf([null]), undefined);
});

test('the time of a bucket is a phrase', () => {
  assert.equal(bucketText(60_000), 'per minute');
  assert.equal(bucketText(1_800_000), 'per 30 min');
});
