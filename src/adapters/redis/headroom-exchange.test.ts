// Servers share headroom readings on a real Redis.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { headroomExchangeContract, readingOf } from '../../../test/contract/headroom-exchange.ts';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import type { HeadroomExchange, HeadroomReading } from '../../admission/headroom-exchange.ts';
import { createRedisHeadroomExchange } from './headroom-exchange.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

type Server = {
  readonly exchange: HeadroomExchange;
  readonly received: HeadroomReading[];
  readonly clock: TestClock;
};

async function openServer(startAt = Date.now(), waitMs = 5000): Promise<Server> {
  const clock = createTestClock(startAt);
  const link = rig.open();
  await link.ready(waitMs);
  const exchange = createRedisHeadroomExchange({ link, clock, keyPrefix: 'test:' });
  const received: HeadroomReading[] = [];
  await exchange.subscribe((reading) => void received.push(reading));
  return { exchange, received, clock };
}

describe('with a Redis', () => {
  beforeEach(() => rig.outsider.flushall());
  headroomExchangeContract('Redis', async () => (await openServer()).exchange);

  test('a reading arrives with the receiving server’s own timestamps, however far the clocks differ', async () => {
    const sender = await openServer();
    const skewed = await openServer(Date.now() + 3_000_000);
    sender.exchange.publish(readingOf(7, sender.clock.now()));
    await until(() => skewed.received.length > 0);
    assert.deepEqual(skewed.received, [readingOf(7, skewed.clock.now())]);
  });

  test('a scope is published at most once per second', async () => {
    const [sender, other] = [await openServer(), await openServer()];
    for (let call = 0; call < 100; call += 1)
      sender.exchange.publish(readingOf(call, sender.clock.now()));
    sender.exchange.publish(readingOf(5, sender.clock.now(), 'another'));
    await sender.clock.advance(1000);
    sender.exchange.publish(readingOf(3, sender.clock.now()));
    await until(() => other.received.some(({ gauges }) => gauges.requests?.remaining === 3));
    assert.deepEqual(
      other.received.map(({ gauges }) => gauges.requests?.remaining),
      [0, 5, 3],
    );
  });

  test('a server that starts later reads the latest reading, unless it is too old', async () => {
    const sender = await openServer();
    sender.exchange.publish(readingOf(7, sender.clock.now()));
    await until(async () => (await rig.outsider.hlen('test:headroom')) === 1);
    const later = await openServer(sender.clock.now() + 5000);
    await until(() => later.received.length > 0);
    assert.deepEqual(later.received, [readingOf(7, sender.clock.now())]);
    const tooLate = await openServer(sender.clock.now() + 3_600_000);
    await tooLate.exchange.close();
    assert.deepEqual(tooLate.received, []);
  });

  test('messages in another format are ignored', async () => {
    const [sender, other] = [await openServer(), await openServer()];
    await rig.outsider.publish('test:headroom:changed', 'not JSON');
    await rig.outsider.publish('test:headroom:changed', '{"by":"x","at":1}');
    sender.exchange.publish(readingOf(7, sender.clock.now()));
    await until(() => other.received.length > 0);
    assert.equal(other.received.length, 1);
  });
});

describe('without a Redis', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  headroomExchangeContract(
    'an unavailable Redis',
    async () => (await openServer(Date.now(), 50)).exchange,
  );
});
