import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryHeadroomExchange } from '../adapters/memory/headroom-exchange.ts';
import { openHeadroom } from './headroom.ts';
import type { HeadroomNews } from './headroom-exchange.ts';

const PLACE = { provider: 'openai', account: 'default', region: 'us-east', model: 'gpt-5' };

function headers(remaining: number) {
  return {
    'x-ratelimit-limit-requests': '1000',
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': '1m0s',
  };
}

async function open() {
  const clock = createTestClock();
  const told: HeadroomNews[] = [];
  let hear: (news: HeadroomNews) => void = () => {};
  const exchange = {
    ...createMemoryHeadroomExchange(),
    tell: (news: HeadroomNews) => void told.push(news),
    listen: async (listener: (news: HeadroomNews) => void) => {
      hear = listener;
    },
  };
  const headroom = await openHeadroom({ clock, exchange });
  return { headroom, clock, told, hear: (news: HeadroomNews) => hear(news) };
}

test('the latest of each place is kept, and the others are told', async () => {
  const { headroom, clock, told } = await open();
  headroom.learn(PLACE, headers(900));
  headroom.learn({ ...PLACE, model: 'gpt-5-mini' }, headers(800));
  await clock.advance(100);
  headroom.learn(PLACE, headers(899));
  const [scarcest, other] = headroom.headroomOf('openai', 'us-east');
  assert.deepEqual([scarcest?.model, scarcest?.gauges.requests?.remaining], ['gpt-5-mini', 800]);
  assert.deepEqual([other?.model, other?.gauges.requests?.remaining], ['gpt-5', 899]);
  assert.deepEqual(headroom.headroomOf('openai', 'eu-west'), []);
  assert.equal(told.length, 3);
});

test('of many answers one in a tenth of a second is read', async () => {
  const { headroom, clock, told } = await open();
  for (let call = 0; call < 1000; call += 1) {
    headroom.learn(PLACE, headers(1000 - call));
    await clock.advance(1);
  }
  assert.equal(told.length, 10);
});

test('an answer that says nothing changes nothing', async () => {
  const { headroom, told } = await open();
  headroom.learn(PLACE, { 'content-type': 'application/json' });
  assert.deepEqual([headroom.list(), told], [[], []]);
});

test('what another server has read counts here too, unless it is older', async () => {
  const { headroom, clock, hear } = await open();
  const readAt = clock.now();
  const requests = { limit: 1000, remaining: 10, resetAt: readAt + 60_000 };
  hear({ place: PLACE, gauges: { requests }, readAt });
  headroom.slowDownMs(PLACE, 1);
  assert.equal(headroom.slowDownMs(PLACE, 1), 6000);
  hear({
    place: PLACE,
    gauges: { requests: { ...requests, remaining: 1000 } },
    readAt: readAt - 1,
  });
  assert.equal(headroom.list()[0]?.gauges.requests?.remaining, 10);
});

test('names of models that callers make up do not fill the memory', async () => {
  const { headroom, clock, told } = await open();
  for (let model = 0; model < 2000; model += 1)
    headroom.learn({ ...PLACE, model: `made-up-${model}` }, headers(1));
  assert.equal(headroom.list().length, 500);
  assert.equal(told.length, 500);
  await clock.advance(3_600_000);
  assert.equal(headroom.list().length, 0);
  headroom.learn(PLACE, headers(1));
  assert.equal(headroom.list().length, 1);
});
