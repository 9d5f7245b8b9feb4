// Servers share refusals of provider credentials on a real Redis.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { credentialExchangeContract, REFUSED } from '../../../test/contract/credential-exchange.ts';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import type { CredentialNews } from '../../admission/credentials/credential-exchange.ts';
import { createRedisCredentialExchange } from './credential-exchange.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function openServer(waitMs = 5000) {
  const link = rig.open();
  await link.ready(waitMs);
  const exchange = createRedisCredentialExchange({ link, keyPrefix: 'test:' });
  const received: CredentialNews[] = [];
  await exchange.subscribe((news) => void received.push(news));
  return { exchange, received };
}

describe('with a Redis', () => {
  credentialExchangeContract('Redis', async () => (await openServer()).exchange);

  test('a refusal and its end reach the other servers in order', async () => {
    const [sender, other] = [await openServer(), await openServer()];
    const news = [REFUSED, { ...REFUSED, model: 'gpt-5' }, { ...REFUSED, isRefused: false }];
    for (const each of news) sender.exchange.publish(each);
    await until(() => other.received.length === news.length);
    assert.deepEqual(other.received, news);
    assert.deepEqual(sender.received, []);
  });

  test('messages in another format are ignored', async () => {
    const [sender, other] = [await openServer(), await openServer()];
    await rig.outsider.publish('test:credentials:changed', 'not JSON');
    await rig.outsider.publish('test:credentials:changed', '{"by":"x"}');
    sender.exchange.publish(REFUSED);
    await until(() => other.received.length > 0);
    assert.deepEqual(other.received, [REFUSED]);
  });
});

describe('without a Redis', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  credentialExchangeContract('an unavailable Redis', async () => (await openServer(50)).exchange);
});
