import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { RequestSlots } from '../../flow/serve/request-slots.ts';
import { silentLog } from '../../kernel/log.ts';
import { createReadiness } from '../readiness.ts';
import { createDrainControl } from './drain-control.ts';

function openRig() {
  const clock = createTestClock();
  const slots = new RequestSlots(10);
  const events: string[] = [];
  const readiness = createReadiness({
    meter: { isReady: () => true },
    store: { lockState: () => 'locked' },
    engines: [],
  });
  const control = createDrainControl({
    readiness,
    slots,
    http: { setDraining: (isOn) => void events.push(`http ${isOn}`) },
    pipeline: {
      pause: async () => void events.push('pause'),
      resume: async () => void events.push('resume'),
      close: async () => {},
    },
    clock,
    log: silentLog,
  });
  return { clock, slots, events, readiness, control };
}

test('a draining server reports it immediately, pauses its queues, and refuses calls after a grace period', async () => {
  const { clock, slots, events, readiness, control } = openRig();
  control.onMode('draining');
  assert.equal(readiness.unhealthyReason(), 'draining');
  assert.deepEqual(events, ['http true', 'pause']);
  await clock.advance(4999);
  slots.acquire('one');
  await clock.advance(1);
  assert.throws(() => slots.acquire('one'), {
    code: 'CAPACITY_EXHAUSTED',
    message: 'server is draining',
  });
  assert.equal(slots.used, 1);
});

test('a resumed server serves again, even during the grace period', async () => {
  const { clock, slots, events, readiness, control } = openRig();
  control.onMode('draining');
  await clock.advance(1000);
  control.onMode('active');
  await clock.advance(60_000);
  slots.acquire('one');
  assert.equal(readiness.unhealthyReason(), undefined);
  assert.deepEqual(events.slice(2), ['http false', 'resume']);
  control.onMode('draining');
  await clock.advance(5000);
  control.onMode('active');
  slots.acquire('one');
});

test('maintenance changes nothing for the server’s own callers', () => {
  const { slots, events, readiness, control } = openRig();
  control.onMode('maintenance');
  slots.acquire('one');
  assert.equal(readiness.unhealthyReason(), undefined);
  assert.deepEqual(events, []);
});

test('a displaced server refuses calls immediately, until it has its id again', () => {
  const { slots, readiness, control } = openRig();
  control.onDisplaced(true);
  assert.throws(() => slots.acquire('one'));
  assert.equal(readiness.unhealthyReason(), 'unhealthy');
  control.onDisplaced(false);
  slots.acquire('one');
  assert.equal(readiness.unhealthyReason(), undefined);
});

test('a drained server that is displaced and restored stays drained', async () => {
  const { clock, slots, readiness, control } = openRig();
  control.onMode('draining');
  control.onDisplaced(true);
  control.onDisplaced(false);
  await clock.advance(5000);
  assert.equal(readiness.unhealthyReason(), 'draining');
  assert.throws(() => slots.acquire('one'));
});
