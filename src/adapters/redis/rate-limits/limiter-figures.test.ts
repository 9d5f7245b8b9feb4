import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRedisRig, type RedisRig } from '../../../../test/support/stores/redis-rig.ts';
import { createReadLimiterFigures } from './limiter-figures.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

test("counts the records, memory and lifetimes of the installation's own limiter keys", async () => {
  const link = rig.open();
  await link.ready(5000);
  for (let index = 0; index < 30; index += 1)
    await rig.outsider.set(`own:ratelimit:org:${index}`, 'x'.repeat(100), 'PX', 60_000 + index);
  await rig.outsider.set('own:worker:ratelimit:openai', 'x', 'PX', 600_000);
  await rig.outsider.set('other:ratelimit:org:1', 'x');
  await rig.outsider.set('own:servers:info:1', 'x');
  const figures = await createReadLimiterFigures(link, 'own:')();
  assert.equal(figures.records, 31);
  assert.ok((figures.memoryBytes ?? 0) > 30 * 100);
  const { minMs = 0, maxMs = 0 } = figures.ttl ?? {};
  assert.ok(minMs > 30_000 && minMs <= 60_000, String(minMs));
  assert.ok(maxMs > 500_000 && maxMs <= 600_000, String(maxMs));
});

test('a prefix with the signs of a pattern matches itself alone', async () => {
  const link = rig.open();
  await link.ready(5000);
  await rig.outsider.set('a*b:ratelimit:org:1', 'x');
  await rig.outsider.set('axb:ratelimit:org:1', 'x');
  assert.equal((await createReadLimiterFigures(link, 'a*b:')()).records, 1);
});
