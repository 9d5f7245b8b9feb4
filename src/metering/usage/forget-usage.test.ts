import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { LogEntry } from '../../kernel/log.ts';
import { startForgettingUsage } from './forget-usage.ts';

const HOUR_MS = 3_600_000;

test('old records are deleted in batches until none are left', async () => {
  const clock = createTestClock();
  const asked: number[] = [];
  let left = 1200;
  const usage = {
    forget(before: number, most: number) {
      asked.push(clock.now() - before);
      const forgotten = Math.min(left, most);
      left -= forgotten;
      return Promise.resolve(forgotten);
    },
  };
  const log = { write: () => assert.fail(), flush: () => Promise.resolve() };
  const forgetting = startForgettingUsage({ usage, keptMs: HOUR_MS, clock, log });
  await clock.advance(HOUR_MS / 4);
  assert.equal(left, 0);
  assert.equal(asked.length, 3);
  assert.ok(asked.every((age) => age >= HOUR_MS));
  await forgetting.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('an unavailable store is tried again later, and close does not wait for it', async () => {
  const clock = createTestClock();
  const entries: LogEntry[] = [];
  const log = { write: (entry: LogEntry) => void entries.push(entry), flush: async () => {} };
  const usage = { forget: () => Promise.reject(new Error('away')) };
  const forgetting = startForgettingUsage({ usage, keptMs: HOUR_MS, clock, log });
  await clock.advance(HOUR_MS);
  assert.ok(entries.length > 1);
  await forgetting.close();
  assert.equal(clock.pendingTimers(), 0);
});
