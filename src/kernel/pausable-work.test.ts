import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPausableWork } from './pausable-work.ts';

function openRig() {
  const events: string[] = [];
  const endings: (() => void)[] = [];
  const work = startPausableWork(() => {
    events.push('start');
    return {
      close() {
        events.push('close');
        return new Promise<void>((resolve) => endings.push(resolve));
      },
    };
  });
  return { events, endings, work };
}

test('a pause ends the work in progress, and a resume starts it again', async () => {
  const { events, endings, work } = openRig();
  const paused = work.pause();
  const resumed = work.resume();
  await Promise.resolve();
  assert.deepEqual(events, ['start', 'close']);
  endings[0]?.();
  await paused;
  await resumed;
  assert.deepEqual(events, ['start', 'close', 'start']);
});

test('repeated pauses and resumes change nothing', async () => {
  const { events, endings, work } = openRig();
  await work.resume();
  const paused = Promise.all([work.pause(), work.pause()]);
  await Promise.resolve();
  endings[0]?.();
  await paused;
  assert.deepEqual(events, ['start', 'close']);
});

test('closed work is not started again', async () => {
  const { events, endings, work } = openRig();
  const closed = work.close();
  await Promise.resolve();
  endings[0]?.();
  await closed;
  await work.resume();
  await work.close();
  assert.deepEqual(events, ['start', 'close']);
});
