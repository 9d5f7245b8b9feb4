import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { sleep, systemClock } from './clock.ts';

test('a timer calls once, and a cancelled timer never', async () => {
  const calls: string[] = [];
  // Clock timers are unreferenced; this interval keeps the test process alive.
  const alive = setInterval(() => {}, 1000);
  const cancel = systemClock.after(0, () => void calls.push('cancelled'));
  cancel();
  cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(-5, () => void calls.push('past'));
    systemClock.after(2, resolve);
  });
  clearInterval(alive);
  assert.deepEqual(calls, ['past']);
});

test('a delay above the range of setTimeout does not fire immediately', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let fired = 0;
  systemClock.after(2_147_483_647 + 1000, () => {
    fired += 1;
  });
  context.mock.timers.tick(2_147_483_647);
  assert.equal(fired, 0);
  context.mock.timers.tick(999);
  assert.equal(fired, 0);
  context.mock.timers.tick(1);
  assert.equal(fired, 1);
});

test('a timer does not keep the process alive', () => {
  const program = `import { systemClock } from ${JSON.stringify(new URL('./clock.ts', import.meta.url).href)};
systemClock.after(86_400_000, () => {});`;
  const args = ['--input-type=module', '-e', program];
  assert.equal(spawnSync(process.execPath, args, { timeout: 30_000 }).status, 0);
});

test('the monotonic clock does not go back', () => {
  const first = systemClock.monotonic();
  assert.ok(systemClock.monotonic() >= first);
  assert.ok(systemClock.now() > Date.UTC(2025, 0));
  assert.ok(systemClock.random() < 1);
});

test('sleep ends after its delay and leaves no timer', async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  let isOver = false;
  const sleeping = sleep(clock, 100, controller.signal).then(() => {
    isOver = true;
  });
  await clock.advance(99);
  assert.equal(isOver, false);
  await clock.advance(1);
  await sleeping;
  assert.equal(clock.pendingTimers(), 0);
  controller.abort();
});

test('sleep rejects with the reason of the signal, immediately if the signal is aborted already', async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  const reason = new Error('closing');
  const sleeping = sleep(clock, 100, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
  await assert.rejects(sleep(clock, 100, controller.signal), reason);
  assert.equal(clock.pendingTimers(), 0);
});
