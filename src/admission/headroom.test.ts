import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryHeadroomExchange } from '../adapters/memory/headroom-exchange.ts';
import { openHeadroom } from './headroom.ts';
import type { HeadroomReading } from './headroom-exchange.ts';

const KEY = { provider: 'openai', account: 'default', region: 'us-east', model: 'gpt-5' };

function headers(remaining: number) {
  return {
    'x-ratelimit-limit-requests': '1000',
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': '1m0s',
  };
}

async function open() {
  const clock = createTestClock();
  const published: HeadroomReading[] = [];
  let receive: (reading: HeadroomReading) => void = () => {};
  const exchange = {
    ...createMemoryHeadroomExchange(),
    publish: (reading: HeadroomReading) => void published.push(reading),
    subscribe: async (listener: (reading: HeadroomReading) => void) => {
      receive = listener;
    },
  };
  const headroom = await openHeadroom({ clock, exchange });
  return { headroom, clock, published, receive: (reading: HeadroomReading) => receive(reading) };
}

test('the latest reading of each scope is kept and published', async () => {
  const { headroom, clock, published } = await open();
  headroom.learn(KEY, headers(900));
  headroom.learn({ ...KEY, model: 'gpt-5-mini' }, headers(800));
  await clock.advance(100);
  headroom.learn(KEY, headers(899));
  const [scarcest, other] = headroom.headroomOf(KEY);
  assert.deepEqual(
    [scarcest?.key.model, scarcest?.gauges.requests?.remaining],
    ['gpt-5-mini', 800],
  );
  assert.deepEqual([other?.key.model, other?.gauges.requests?.remaining], ['gpt-5', 899]);
  assert.deepEqual(headroom.headroomOf({ ...KEY, region: 'eu-west' }), []);
  assert.equal(published.length, 3);
});

test('headers are parsed at most once in 100 ms', async () => {
  const { headroom, clock, published } = await open();
  for (let call = 0; call < 1000; call += 1) {
    headroom.learn(KEY, headers(1000 - call));
    await clock.advance(1);
  }
  assert.equal(published.length, 10);
});

test('an answer without headroom headers changes nothing', async () => {
  const { headroom, published } = await open();
  headroom.learn(KEY, { 'content-type': 'application/json' });
  assert.deepEqual([headroom.list(), published], [[], []]);
});

test('a reading of another server is adopted unless it is older', async () => {
  const { headroom, clock, receive } = await open();
  const readAt = clock.now();
  const requests = { limit: 1000, remaining: 10, resetAt: readAt + 60_000 };
  receive({ key: KEY, gauges: { requests }, readAt });
  headroom.slowDownMs(KEY, 1);
  assert.equal(headroom.slowDownMs(KEY, 1), 6000);
  receive({
    key: KEY,
    gauges: { requests: { ...requests, remaining: 1000 } },
    readAt: readAt - 1,
  });
  assert.equal(headroom.list()[0]?.gauges.requests?.remaining, 10);
});

test('the number of scopes is bounded, whatever model names callers send', async () => {
  const { headroom, clock, published } = await open();
  for (let model = 0; model < 2000; model += 1)
    headroom.learn({ ...KEY, model: `made-up-${model}` }, headers(1));
  assert.equal(headroom.list().length, 500);
  assert.equal(published.length, 500);
  await clock.advance(3_600_000);
  assert.equal(headroom.list().length, 0);
  headroom.learn(KEY, headers(1));
  assert.equal(headroom.list().length, 1);
});
