import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrace, readTrace } from './read-trace.ts';

const HEADING = 'TIMESTAMP,ContextTokens,GeneratedTokens';

test('requests are relative to the first one, in order of arrival', () => {
  const trace = parseTrace(
    `${HEADING}\n2023-11-16 18:17:05.0000000,30,3\n2023-11-16 18:17:03.9799600,10,1\n`,
  );
  assert.deepEqual(trace, [
    { atMs: 0, contextTokens: 10, generatedTokens: 1 },
    { atMs: 1_021, contextTokens: 30, generatedTokens: 3 },
  ]);
});

test('columns are found by their names, and timestamps may have a time zone', () => {
  const trace = parseTrace(
    'Model,GeneratedTokens,ContextTokens,TIMESTAMP\r\nx,1,2,2024-05-10 00:00:00+00:00\r\ny,3,4,2024-05-10T01:00:01+01:00',
  );
  assert.deepEqual(
    trace.map(({ atMs, contextTokens }) => [atMs, contextTokens]),
    [
      [0, 2],
      [1_000, 4],
    ],
  );
});

test('a file that is not a trace is refused with the reason', async () => {
  assert.throws(() => parseTrace('a,b\n1,2'), /heading with TIMESTAMP/);
  assert.throws(() => parseTrace(HEADING), RangeError);
  assert.throws(() => parseTrace(`${HEADING}\n2023-11-16 18:17:05,1,1\nyesterday,1,1`), /Line 3/);
  assert.throws(() => parseTrace(`${HEADING}\n2023-11-16 18:17:05,1`), /Line 2/);
  await assert.rejects(readTrace('/nowhere/trace.csv'), /cannot be read/);
});
