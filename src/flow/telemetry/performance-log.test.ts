import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { type LogEntry, silentLog } from '../../kernel/log.ts';
import { createPerformanceLog } from './performance-log.ts';

function rig() {
  const clock = createTestClock();
  const entries: LogEntry[] = [];
  const log = { ...silentLog, write: (entry: LogEntry) => void entries.push(entry) };
  const thresholds = { slowRequestMs: 1000, eventLoopDelayMs: 100, slowDependencyMs: 500 };
  return { clock, entries, performance: createPerformanceLog(log, clock, thresholds) };
}

test('values below their threshold are not logged', () => {
  const { entries, performance } = rig();
  performance.eventLoop(99, 10);
  performance.dependency('store', 499);
  assert.deepEqual(entries, []);
});

test('a slow subject has one line a minute, which counts the occurrences in between', async () => {
  const { clock, entries, performance } = rig();
  for (let round = 0; round < 5; round += 1) performance.dependency('redis', 800);
  performance.dependency('store', 900);
  await clock.advance(60_000);
  performance.dependency('redis', 700);
  assert.deepEqual(
    entries.map(({ type, metadata }) => [
      type,
      metadata?.['dependency'],
      metadata?.['sinceLastLine'],
    ]),
    [
      ['performance', 'redis', undefined],
      ['performance', 'store', undefined],
      ['performance', 'redis', 4],
    ],
  );
});

test('a late event loop and a slow request are logged with their figures', () => {
  const { entries, performance } = rig();
  performance.eventLoop(250.4, 120);
  const request = { latencyMs: 5000, provider: 'p', model: 'm', attempts: 2, streamed: true };
  performance.slowRequest({ requestId: 'req_1', ...request });
  assert.deepEqual(entries[0]?.metadata, { maxMs: 250, p99Ms: 120, thresholdMs: 100 });
  assert.equal(entries[1]?.requestId, 'req_1');
  assert.deepEqual(entries[1]?.metadata, { ...request, thresholdMs: 1000 });
});
