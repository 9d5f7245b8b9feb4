// One reads, all know, on a real Redis of its own.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { headroomExchangeContract, newsOf } from '../../../test/contract/headroom-exchange.ts';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import type { HeadroomExchange, HeadroomNews } from '../../admission/headroom-exchange.ts';
import { createRedisHeadroomExchange } from './headroom-exchange.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

type Server = {
  readonly exchange: HeadroomExchange;
  readonly heard: HeadroomNews[];
  readonly clock: TestClock;
};

async function openServer(startAt = Date.now(), patienceMs = 5000): Promise<Server> {
  const clock = createTestClock(startAt);
  const link = rig.open();
  await link.ready(patienceMs);
  const exchange = createRedisHeadroomExchange({ link, clock, keyPrefix: 'test:' });
  const heard: HeadroomNews[] = [];
  await exchange.listen((news) => void heard.push(news));
  return { exchange, heard, clock };
}

describe('with a Redis', () => {
  beforeEach(() => rig.outsider.flushall());
  headroomExchangeContract('Redis', async () => (await openServer()).exchange);

  test('the others hear it in their own time, whatever their clocks say', async () => {
    const teller = await openServer();
    const skewed = await openServer(Date.now() + 3_000_000);
    teller.exchange.tell(newsOf(7, teller.clock.now()));
    await until(() => skewed.heard.length > 0);
    assert.deepEqual(skewed.heard, [newsOf(7, skewed.clock.now())]);
  });

  test('one message a second is enough for each place', async () => {
    const [teller, other] = [await openServer(), await openServer()];
    for (let call = 0; call < 100; call += 1)
      teller.exchange.tell(newsOf(call, teller.clock.now()));
    teller.exchange.tell(newsOf(5, teller.clock.now(), 'another'));
    await teller.clock.advance(1000);
    teller.exchange.tell(newsOf(3, teller.clock.now()));
    await until(() => other.heard.some(({ gauges }) => gauges.requests?.remaining === 3));
    assert.deepEqual(
      other.heard.map(({ gauges }) => gauges.requests?.remaining),
      [0, 5, 3],
    );
  });

  test('a server that comes later hears the latest, unless it is too old to say anything', async () => {
    const teller = await openServer();
    teller.exchange.tell(newsOf(7, teller.clock.now()));
    await until(async () => (await rig.outsider.hlen('test:headroom')) === 1);
    const later = await openServer(teller.clock.now() + 5000);
    await until(() => later.heard.length > 0);
    assert.deepEqual(later.heard, [newsOf(7, teller.clock.now())]);
    const tooLate = await openServer(teller.clock.now() + 3_600_000);
    await tooLate.exchange.close();
    assert.deepEqual(tooLate.heard, []);
  });

  test('what is no news of ours is not heard', async () => {
    const [teller, other] = [await openServer(), await openServer()];
    await rig.outsider.publish('test:headroom:changed', 'nonsense');
    await rig.outsider.publish('test:headroom:changed', '{"by":"x","at":1}');
    teller.exchange.tell(newsOf(7, teller.clock.now()));
    await until(() => other.heard.length > 0);
    assert.equal(other.heard.length, 1);
  });
});

describe('without a Redis', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  headroomExchangeContract(
    'a Redis that is away',
    async () => (await openServer(Date.now(), 50)).exchange,
  );
});
