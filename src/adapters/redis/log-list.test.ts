import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { RecentEntry } from '../../kernel/telemetry/log-query.ts';
import { createLogList, LOG_LIST_KEY, REQUEST_LIST_KEY } from './log-list.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());
beforeEach(() => rig.outsider.flushall());

async function openList(serverId: string, maxEntries = 1000) {
  const link = rig.open();
  await link.ready(5000);
  return { link, list: createLogList({ link, clock: systemClock, serverId, maxEntries }) };
}

function entry(message: string, fields: Partial<RecentEntry> = {}): RecentEntry {
  return { at: 1_794_737_272_398, level: 'info', type: 'capacity', message, ...fields };
}

test('entries of all servers are in one list, newest first, with the fields of stdout', async () => {
  const [first, second] = [await openList('srv-1'), await openList('srv-2')];
  first.list.push(entry('one', { requestId: 'req_1', metadata: { tokens: 3 } }));
  first.list.push(entry('two'));
  await first.list.close();
  second.list.push(entry('three', { level: 'warn', type: 'ai_limit' }));
  await second.list.close();
  const lines = await rig.outsider.lrange(LOG_LIST_KEY, 0, -1);
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), {
    level: 'info',
    timestamp: '2026-11-15T10:07:52.398Z',
    service: 'spillway',
    server_id: 'srv-1',
    log_type: 'capacity',
    message: 'one',
    request_id: 'req_1',
    metadata: { tokens: 3 },
  });
  const recent = await first.list.recent({ limit: 10 });
  assert.deepEqual(
    recent.map(({ message, serverId }) => [message, serverId]),
    [
      ['three', 'srv-2'],
      ['two', 'srv-1'],
      ['one', 'srv-1'],
    ],
  );
  assert.deepEqual(recent[2], {
    ...entry('one', { requestId: 'req_1', metadata: { tokens: 3 } }),
    serverId: 'srv-1',
  });
  const limited = await first.list.recent({ limit: 10, level: 'warn', type: 'ai_limit' });
  assert.deepEqual(
    limited.map(({ message }) => message),
    ['three'],
  );
  assert.equal((await first.list.recent({ limit: 2 })).length, 2);
});

test('entries of requests have a list of their own and are merged by time', async () => {
  const { list } = await openList('srv-1', 100);
  list.push(entry('limit', { at: 1000, type: 'ai_limit' }));
  for (let number = 0; number < 500; number += 1)
    list.push(entry(`served ${number}`, { at: 2000 + number, type: 'request' }));
  list.push(entry('failure', { at: 2450, type: 'error' }));
  await list.close();
  assert.equal(await rig.outsider.llen(REQUEST_LIST_KEY), 100);
  assert.equal(await rig.outsider.llen(LOG_LIST_KEY), 2);
  const recent = await list.recent({ limit: 200 });
  assert.equal(recent.length, 102);
  assert.equal(recent.at(-1)?.message, 'limit');
  const index = recent.findIndex(({ message }) => message === 'failure');
  assert.deepEqual([recent[index - 1]?.at, recent[index + 1]?.at], [2450, 2449]);
  const found = await list.recent({ limit: 5, text: 'SERVED 49', before: 2495 });
  assert.deepEqual(
    found.map(({ message }) => message),
    [494, 493, 492, 491, 490].map((number) => `served ${number}`),
  );
});

test('the list keeps the configured number of entries, and its pages join without a gap', async () => {
  const { list } = await openList('srv-1', 1200);
  for (let number = 0; number < 3000; number += 1) {
    list.push(entry(`entry ${number}`));
    if (number % 700 === 0) await until(async () => (await lastMessage()) === `entry ${number}`);
  }
  await list.close();
  assert.equal(await rig.outsider.llen(LOG_LIST_KEY), 1200);
  const recent = await list.recent({ limit: 5000 });
  assert.deepEqual(
    recent.map(({ message }) => message),
    Array.from({ length: 1200 }, (_, back) => `entry ${2999 - back}`),
  );
});

async function lastMessage(): Promise<string | undefined> {
  const line = await rig.outsider.lindex(LOG_LIST_KEY, 0);
  return line === null ? undefined : /entry \d+/.exec(line)?.[0];
}

test('lines in another format and metadata that JSON cannot express leave the other entries readable', async () => {
  const { list } = await openList('srv-1');
  list.push(entry('odd', { metadata: { big: 1n } }));
  await list.close();
  await rig.outsider.lpush(LOG_LIST_KEY, 'not JSON', '{"level":"loud"}');
  assert.deepEqual(
    (await list.recent({ limit: 10 })).map(({ message }) => message),
    ['odd'],
  );
});

test('entries wait and reading rejects while Redis is unavailable', async () => {
  const { link, list } = await openList('srv-1', 10);
  await rig.service.kill('SIGKILL');
  await until(() => !link.isUp());
  for (let number = 0; number < 100; number += 1) list.push(entry(`entry ${number}`));
  await assert.rejects(list.recent({ limit: 10 }), /Redis is unavailable/);
  await rig.service.restart();
  await until(() => link.isUp());
  await until(async () => (await lastMessage()) === 'entry 99');
  assert.equal(await rig.outsider.llen(LOG_LIST_KEY), 10);
  await list.close();
});
