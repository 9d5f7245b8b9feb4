import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { type LogEntry, silentLog } from '../../kernel/log.ts';
import { createDispatchLog } from './dispatch-log.ts';

function rig() {
  const clock = createTestClock();
  const entries: LogEntry[] = [];
  const log = { ...silentLog, write: (entry: LogEntry) => void entries.push(entry) };
  const metadata = () => entries.map((entry) => entry.metadata);
  return { clock, metadata, dispatch: createDispatchLog(log, clock, 'dispatcher-7') };
}

test('a burst has one line per provider with routed and delayed counts and the delays', async () => {
  const { clock, metadata, dispatch } = rig();
  for (let index = 0; index < 5; index += 1) dispatch.count({ provider: 'gemini', delayMs: 0 });
  dispatch.count({ provider: 'gemini', delayMs: 1000 });
  dispatch.count({ provider: 'gemini', delayMs: 3000 });
  dispatch.count({ provider: undefined, delayMs: 500 });
  await clock.advance(2000);
  const named = { event: 'dispatch', dispatcherId: 'dispatcher-7' };
  assert.deepEqual(metadata(), [
    { ...named, provider: 'gemini', routed: 5, delayed: 2, delayMs: 2000, maxDelayMs: 3000 },
    { ...named, provider: 'none', routed: 0, delayed: 1, delayMs: 500, maxDelayMs: 500 },
  ]);
});

test('each burst is counted alone, and closing writes the burst in progress', async () => {
  const { clock, metadata, dispatch } = rig();
  dispatch.count({ provider: 'openai', delayMs: 0 });
  await clock.advance(2000);
  dispatch.count({ provider: 'openai', delayMs: 0 });
  dispatch.count({ provider: 'openai', delayMs: 0 });
  dispatch.close();
  assert.deepEqual(
    metadata().map((each) => each?.['routed']),
    [1, 2],
  );
  await clock.advance(10_000);
  assert.equal(metadata().length, 2);
});
