import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { type LogEntry, silentLog } from '../../kernel/log.ts';
import { createLogRing } from './log-ring.ts';

function entry(message: string, given: Partial<LogEntry> = {}): LogEntry {
  return { level: 'warn', type: 'error', message, ...given };
}

test('writes and flushes pass through to the wrapped log', async () => {
  const written: string[] = [];
  let flushes = 0;
  const next = {
    write: ({ message }: LogEntry) => void written.push(message),
    flush: async () => {
      flushes += 1;
    },
  };
  const { log } = createLogRing(next, createTestClock(), { capacity: 2 });
  for (const message of ['a', 'b', 'c']) log.write(entry(message));
  log.write(entry('detail', { level: 'debug' }));
  await log.flush();
  assert.deepEqual(written, ['a', 'b', 'c', 'detail']);
  assert.equal(flushes, 1);
});

test('entries are newest first, even within one millisecond, with their timestamp', async () => {
  const clock = createTestClock();
  const ring = createLogRing(silentLog, clock, { capacity: 10 });
  ring.log.write(entry('a'));
  ring.log.write(entry('b'));
  await clock.advance(5);
  ring.log.write(entry('c', { type: 'request', level: 'info' }));
  const recent = ring.recent({ limit: 10 });
  assert.deepEqual(
    recent.map(({ message }) => message),
    ['c', 'b', 'a'],
  );
  assert.equal(recent[0]?.at, clock.now());
});

test('entries of requests do not evict other entries, whatever their level', () => {
  const ring = createLogRing(silentLog, createTestClock(), { capacity: 10 });
  ring.log.write(entry('failure'));
  for (let index = 0; index < 1000; index += 1)
    ring.log.write(entry(`refused ${index}`, { type: 'request', level: 'warn' }));
  const recent = ring.recent({ limit: 2000 });
  assert.equal(recent.length, 11);
  assert.ok(recent.some(({ message }) => message === 'failure'));
});

test('entries are filtered by type and level, and debug entries are not recorded', () => {
  const ring = createLogRing(silentLog, createTestClock(), { capacity: 10 });
  ring.log.write(entry('limit', { type: 'ai_limit' }));
  ring.log.write(entry('worse', { level: 'critical' }));
  ring.log.write(entry('detail', { level: 'debug' }));
  const messages = (query: Parameters<typeof ring.recent>[0]): string[] =>
    ring.recent(query).map(({ message }) => message);
  assert.deepEqual(messages({ type: 'ai_limit', limit: 10 }), ['limit']);
  assert.deepEqual(messages({ level: 'critical', limit: 10 }), ['worse']);
  assert.deepEqual(messages({ type: 'ai_limit', level: 'critical', limit: 10 }), []);
  assert.deepEqual(messages({ limit: 1 }), ['worse']);
});

test('it contains exactly the last entries, at any capacity', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.nat(30), async (capacity, count) => {
      const ring = createLogRing(silentLog, createTestClock(), { capacity });
      const all = Array.from({ length: count }, (_, index) => `entry ${index}`);
      for (const message of all) ring.log.write(entry(message));
      assert.deepEqual(
        ring.recent({ limit: 100 }).map(({ message }) => message),
        all.toReversed().slice(0, capacity),
      );
    }),
  );
});
