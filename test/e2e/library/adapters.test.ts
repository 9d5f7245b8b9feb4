// The adapters through the public entries of the package, on the real services: state of policies in the process and on Redis,
// durable state in SQLite and PostgreSQL, queues on RabbitMQ. The contract suites test the ports behind them.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BrokerConnection } from '../../../src/adapters/rabbitmq/connection/broker-connection.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openMemory } from '../../../src/library/adapters/memory.ts';
import { openPostgres } from '../../../src/library/adapters/postgres.ts';
import { openRabbitmq } from '../../../src/library/adapters/rabbitmq.ts';
import { openRedis, type ResilienceState } from '../../../src/library/adapters/redis.ts';
import {
  type DurableState,
  type JobQueue,
  openSqlite,
} from '../../../src/library/adapters/sqlite.ts';
import { circuitBreaker, rateLimit, retry } from '../../../src/resilience/index.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { createTestDatabase } from '../../support/stores/isolated-postgres.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const folder = makeTempFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT = {
  tier: 'provider',
  subject: 'search',
  kind: 'requests',
  max: 3,
  windowMs: 60_000,
} as const;
const KEY = { provider: 'search', region: 'eu' };
const fails = () => Promise.reject(new Response('', { status: 500 }));

/** One process, or two that share their state, each with a policy of its own. */
async function checkPolicies(first: ResilienceState, second: ResilienceState): Promise<void> {
  const [here, there] = [first, second].map(({ rateLimiter }) =>
    rateLimit({ limiter: rateLimiter, limits: [LIMIT] }),
  );
  assert.ok(here && there);
  for (const policy of [here, there, here]) assert.equal(await policy(() => 'found'), 'found');
  for (const policy of [here, there])
    await assert.rejects(
      policy(() => 'found'),
      { code: 'RATE_LIMITED' },
    );

  const breaker = circuitBreaker({ board: first.breakers, key: KEY });
  for (let call = 0; call < 2; call += 1) await assert.rejects(breaker(fails));
  const other = circuitBreaker({ board: second.breakers, key: KEY });
  for (const circuit of [breaker, other]) {
    await until(async () => (await circuit.state()) === 'open');
    await assert.rejects(
      circuit(() => 'found'),
      { code: 'PROVIDER_UNAVAILABLE' },
    );
  }
  await other.reset();
  assert.equal(await other(() => 'found'), 'found');

  let calls = 0;
  const counted = () => {
    calls += 1;
    return fails();
  };
  const patient = retry({ baseMs: 1, budget: first.retryBudget, scope: 'search', errorRetries: 9 });
  await assert.rejects(patient(counted));
  assert.equal(calls, 3, 'the budget of two retries is spent');
}

const RULES = {
  breaker: { failures: 2 },
  retryBudget: { capacity: 2, perRequest: 0, perSecond: 0 },
};

test('spillway/adapters/memory limits, breaks and bounds retries in one process', async () => {
  const state = await openMemory(RULES);
  await checkPolicies(state, state);
  await state.close();
  await state.close();
});

test('spillway/adapters/redis limits, breaks and bounds retries for all processes with one prefix', async (t) => {
  const url = servicesFromEnv(process.env).redisUrl;
  const options = { ...RULES, url, keyPrefix: `${uniqueName('adapters')}:` };
  const [first, second] = await Promise.all([openRedis(options), openRedis(options)]);
  t.after(() => Promise.all([first.close(), second.close()]));
  assert.equal(first.isShared() && second.isShared(), true);
  await checkPolicies(first, second);
});

test('spillway/adapters/redis opens without Redis and counts in the process', async () => {
  const state = await openRedis({ url: 'redis://127.0.0.1:1', connectWaitMs: 100 });
  assert.equal(state.isShared(), false);
  const search = circuitBreaker({ board: state.breakers, key: KEY });
  assert.equal(await search(() => 'found'), 'found');
  await state.close();
});

/** Resolves to the number of deliveries when the handler has acknowledged the message. */
function consumeAtSecondAttempt(queue: JobQueue, name: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let attempts = 0;
  queue.consume(name, { concurrency: 1 }, async ({ body }) => {
    attempts += 1;
    if (attempts === 1) throw new Error('the first attempt fails');
    if (attempts === 2) return { retryAfterMs: 20 };
    assert.equal(body, 'Thank you');
    resolve(attempts);
    return 'ack';
  });
  return promise;
}

async function checkDurableState(open: () => Promise<DurableState>): Promise<void> {
  const before = await open();
  await before.queue.publish('mails', { id: 'order-1', body: 'Thank you' });
  const claim = {
    organizationId: 'shop',
    key: 'order-1',
    fingerprint: 'POST /orders',
    requestId: 'r1',
    deadlineAt: Date.now() + 60_000,
  };
  assert.equal((await before.idempotency.claim(claim, Date.now())).kind, 'claimed');
  await before.close();

  const state = await open();
  assert.equal((await state.queue.depth('mails')).ready, 1);
  const repeat = { ...claim, requestId: 'r2' };
  assert.equal((await state.idempotency.claim(repeat, Date.now())).kind, 'running');
  assert.equal(await consumeAtSecondAttempt(state.queue, 'mails'), 3);
  await state.close();
  await state.close();
  const last = await open();
  const { ready, delayed, inFlight } = await last.queue.depth('mails');
  assert.deepEqual({ ready, delayed, inFlight }, { ready: 0, delayed: 0, inFlight: 0 });
  await last.close();
}

test('spillway/adapters/sqlite keeps messages and idempotency keys across a restart', () =>
  checkDurableState(() => openSqlite({ file: join(folder, 'shop.db') })));

test('spillway/adapters/postgres keeps messages and idempotency keys across a restart', async (t) => {
  const database = await createTestDatabase('adapters', { isMigrated: false });
  t.after(() => database.drop());
  await assert.rejects(openPostgres({ url: database.url }), /migrat/i);
  await checkDurableState(() => openPostgres({ url: database.url, migrate: true, pollMs: 100 }));
});

test('spillway/adapters/rabbitmq confirms messages, keeps them and delivers them again', async (t) => {
  const url = servicesFromEnv(process.env).rabbitmqUrl;
  const name = uniqueName('adapters');
  t.after(async () => {
    const options = { url, queueType: 'classic', clock: systemClock, log: silentLog } as const;
    const broker = new BrokerConnection({ ...options, purpose: 'inspect' });
    await broker.withChannel((channel) => channel.queueDelete({ queue: name }));
    await broker.close();
  });
  const sender = await openRabbitmq({ url });
  assert.equal(sender.isUp(), true);
  await sender.publish(name, { id: 'order-1', body: 'Thank you' });
  await sender.close();
  const queue = await openRabbitmq({ url, prefetch: 2 });
  assert.equal((await queue.depth(name)).ready, 1);
  assert.equal(await consumeAtSecondAttempt(queue, name), 3);
  await queue.close();
  await queue.close();
});
