// Request records on a real Redis, written by one server and read by another.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  attempt,
  ERROR,
  owner,
  type RecordBounds,
  requestRecordsContract,
} from '../../../../test/contract/request-records.ts';
import { openRedisRig, type RedisRig, until } from '../../../../test/support/stores/redis-rig.ts';
import { createMemoryRequestRecords } from '../../memory/request-records.ts';
import { createRedisRequestRecords, type SharedRecordBounds } from './request-records.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function openRecords(bounds: Partial<SharedRecordBounds> = {}) {
  const link = rig.open();
  await link.ready(5000);
  const local = createMemoryRequestRecords(bounds);
  return createRedisRequestRecords({ link, local, keyPrefix: 'test:', bounds });
}

requestRecordsContract('Redis', async (bounds: RecordBounds) => {
  await rig.outsider.flushall();
  return { writer: await openRecords(bounds), reader: await openRecords(bounds) };
});

test('an evicted record leaves nothing behind', async () => {
  await rig.outsider.flushall();
  const records = await openRecords({ records: 1 });
  for (let n = 1; n <= 20; n += 1) {
    records.failed(owner(`req_${n}`), attempt(`a${n}`));
    records.answered(owner(`req_${n}`), ERROR, 'why');
    await records.flush();
  }
  const keys = await rig.outsider.keys('test:requests:record:*');
  assert.deepEqual(keys, ['test:requests:record:req_20']);
  assert.deepEqual(Object.keys(await rig.outsider.hgetall('test:requests:attempts')), ['a20']);
  assert.deepEqual(Object.keys(await rig.outsider.hgetall('test:requests:sizes')), ['req_20']);
});

test('a record whose text ends within a surrogate pair is evicted like any other', async () => {
  await rig.outsider.flushall();
  const records = await openRecords({ records: 1 });
  records.failed(owner('cut'), { ...attempt('a0'), reason: 'cut \ud83d', raw: { body: '\udc00' } });
  for (let n = 1; n <= 3; n += 1) {
    records.failed(owner(`req_${n}`), attempt(`a${n}`));
    await records.flush();
  }
  assert.deepEqual(await rig.outsider.keys('test:requests:record:*'), [
    'test:requests:record:req_3',
  ]);
  assert.ok((await rig.outsider.pttl('test:requests:record:req_3')) > 0);
});

test('a record is evicted after its retention, with the next write', async () => {
  await rig.outsider.flushall();
  const records = await openRecords({ retentionMs: 1000 });
  records.failed(owner('old'), attempt('a1'));
  await records.flush();
  await rig.outsider.zadd('test:requests:attempted', (Date.now() - 5000) * 1000, 'old');
  records.failed(owner('new'), attempt('a2'));
  await records.flush();
  const reader = await openRecords();
  assert.equal(await reader.find('old'), undefined);
  assert.ok(await reader.find('new'));
  for (const key of await rig.outsider.keys('test:requests:*'))
    assert.ok((await rig.outsider.pttl(key)) > 0, key);
});

test('while Redis is unavailable a server finds its own records', async () => {
  const records = await openRecords();
  await rig.service.kill('SIGKILL');
  records.failed(owner('req_1'), attempt('a1'));
  await records.flush();
  assert.equal((await records.find('req_1'))?.attempts.length, 1);
  await rig.service.restart();
  const other = await openRecords();
  await until(async () => (await other.find('req_1')) === undefined);
});
