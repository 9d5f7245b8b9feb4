// Both tiers of job limits on RabbitMQ, PostgreSQL and Redis, with windows of seconds instead of a minute.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { readQueue } from '../../../src/adapters/rabbitmq/topology/declare-queue.ts';
import { fixedDelayQueue } from '../../../src/adapters/rabbitmq/topology/queue-definition.ts';
import { openBrokerEngines } from '../../support/jobs/tier-engines.ts';
import {
  createTierRig,
  mostWithin,
  type TierOptions,
  type TierRig,
} from '../../support/jobs/tier-rig.ts';
import { type LimiterRig, openLimiterRig } from '../../support/limits/limiter-rig.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { createTestDatabase, type TestDatabase } from '../../support/stores/isolated-postgres.ts';
import { until } from '../../support/stores/redis-rig.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

suite('two tiers of limits on RabbitMQ, PostgreSQL and Redis', { timeout: 120_000 }, () => {
  let database: TestDatabase;
  let engines: Awaited<ReturnType<typeof openBrokerEngines>>;
  let rig: TierRig;
  let redis: LimiterRig;
  let keyPrefix: string;
  before(async () => {
    database = await createTestDatabase('tiers');
    redis = await openLimiterRig();
  });
  after(async () => {
    await redis.close();
    await database.drop();
  });
  beforeEach(async () => {
    engines = await openBrokerEngines(database, rabbitmqUrl);
  });
  afterEach(async () => {
    await rig.close();
    await engines.close();
  });

  async function begin(options: TierOptions): Promise<void> {
    keyPrefix = `${uniqueName('tiers')}:`;
    const { limiter } = await redis.openLimiter(keyPrefix);
    rig = createTierRig(engines, { ...options, limiter });
  }

  /** How many messages are ready on the broker's queue. */
  async function ready(queue: string): Promise<number> {
    return (await readQueue(engines.rabbit.outsider, queue))?.messages ?? 0;
  }

  async function allSucceeded(count: number): Promise<void> {
    await until(async () => rig.calls.length >= count);
    await until(async () => {
      const jobs = await rig.store.list({ limit: 2000 });
      return jobs.length === count && jobs.every(({ state }) => state === 'succeeded');
    });
    assert.equal(await rig.deadLetters.count(), 0);
  }

  test('with a fixed delay the overflow waits in the queue that existing systems read', async () => {
    const delayMs = 4000;
    await begin({ max: 500, windowMs: 60_000, fixedDelayMs: delayMs });
    const queue = rig.queueOf('gemini');
    const delayed = fixedDelayQueue(queue, delayMs, 'classic');
    engines.name(`gemini-queue-delayed-${delayMs}ms`);
    await rig.publishRaw(1000);
    rig.startDispatcher();
    await until(async () => (await ready(queue)) + (await ready(delayed.queue)) === 1000);
    assert.equal(await ready(queue), 500);
    assert.equal(await ready(delayed.queue), 500);
    // A second declaration fails if the queue has other arguments.
    await engines.rabbit.outsider.withChannel((channel) => channel.queueDeclare({ ...delayed }));
    assert.equal(rig.metricOf('dispatcher.ratelimit.allowed'), 500);
    assert.equal(await redis.outsider.zcard(`${keyPrefix}dispatcher:ratelimit:gemini`), 500);
    assert.equal(rig.metricOf('dispatcher.ratelimit.delayed'), 500);
    await until(async () => (await ready(queue)) === 1000);
  });

  test('with a fixed delay the workers keep the limit, and no job fails', async () => {
    await begin({ max: 100, windowMs: 2000, fixedDelayMs: 500 });
    engines.name('gemini-queue-delayed-500ms');
    await rig.publishRaw(300);
    rig.startDispatcher();
    rig.startWorker('gemini', 8);
    await allSucceeded(300);
    assert.ok(mostWithin(rig.calls, 2000) <= 100, `${mostWithin(rig.calls, 2000)}`);
  });

  test('overflow goes to the next provider, and no message is delayed', async () => {
    await begin({ max: 100, windowMs: 60_000, strategy: 'COST_OPTIMIZED', overflow: 'next' });
    await rig.publishRaw(200);
    rig.startDispatcher();
    await until(async () => (await ready(rig.queueOf('openai'))) === 100);
    assert.equal(await ready(rig.queueOf('gemini')), 100);
    assert.equal(rig.metricOf('dispatcher.ratelimit.delayed'), 0);
  });

  test('the worker requeues messages that bypassed the dispatcher until their due time, without a loop', async () => {
    const [max, windowMs, count] = [20, 4000, 60];
    await begin({ max, windowMs });
    const queue = rig.queueOf('gemini');
    let deliveries = 0;
    const consume = engines.broker?.consume.bind(engines.broker);
    assert.ok(engines.broker && consume);
    engines.broker.consume = (name, options, handler) =>
      consume(name, options, (delivery, releaseSlot, outsideSlot) => {
        deliveries += 1;
        return handler(delivery, releaseSlot, outsideSlot);
      });
    await rig.publishRaw(count, queue);
    rig.startWorker('gemini', 8);
    await allSucceeded(count);
    assert.ok(mostWithin(rig.calls, windowMs) <= max, `${mostWithin(rig.calls, windowMs)}`);
    assert.ok(deliveries <= 3 * count, `${deliveries} deliveries`);
    // A job waits in memory if its slot opens within half a second; other jobs are requeued.
    assert.ok(rig.metricOf('worker.ratelimit.requeued') > 0);
    const logged = rig.entries.filter(({ message }) => message.includes('bypass'));
    assert.equal(logged.length, 1);
  });

  test('with the check turned off every message is routed at once, and the worker keeps the limit', async () => {
    await begin({ max: 100, windowMs: 2000, isChecked: false });
    await rig.publishRaw(250);
    rig.startDispatcher();
    await until(async () => (await ready(rig.queueOf('gemini'))) === 250);
    assert.equal(rig.metricOf('dispatcher.ratelimit.checked'), 0);
    rig.startWorker('gemini', 8);
    await allSucceeded(250);
    assert.ok(mostWithin(rig.calls, 2000) <= 100, `${mostWithin(rig.calls, 2000)}`);
  });

  test('with exact delays every message returns at its due time, and the limit holds', async () => {
    const [max, windowMs, count] = [100, 2000, 400];
    await begin({ max, windowMs });
    await rig.publishRaw(count);
    rig.startDispatcher();
    rig.startWorker('gemini', 16);
    await allSucceeded(count);
    assert.ok(mostWithin(rig.calls, windowMs) <= max, `${mostWithin(rig.calls, windowMs)}`);
  });

  test("callers' jobs are released in turn, organisation by organisation", async () => {
    await begin({ max: 20, windowMs: 500 });
    for (let index = 0; index < 100; index += 1) await rig.submit('loud');
    for (let index = 0; index < 2; index += 1) await rig.submit('quiet');
    rig.startDispatcher();
    rig.startWorker('gemini', 2);
    await allSucceeded(102);
    const places = rig.calls.flatMap(({ organizationId }, index) =>
      organizationId === 'quiet' ? [index] : [],
    );
    assert.ok(Math.max(...places) < 30, `the quiet ones were served as ${places.join()}`);
    assert.ok(mostWithin(rig.calls, 500) <= 20, `${mostWithin(rig.calls, 500)}`);
  });

  test('released jobs wait at the worker for a limit that interactive calls use too, and tenants stay in turn', async () => {
    await begin({ max: 40, workerMax: 10, windowMs: 1000 });
    for (let index = 0; index < 80; index += 1) await rig.submit('loud');
    rig.startDispatcher();
    rig.startWorker('gemini', 4);
    await until(() => rig.calls.length >= 20);
    const before = rig.calls.length;
    for (let index = 0; index < 2; index += 1) await rig.submit('quiet');
    await allSucceeded(82);
    assert.equal(rig.metricOf('worker.ratelimit.requeued'), 0);
    const served = rig.calls.findLastIndex(({ organizationId }) => organizationId === 'quiet');
    assert.ok(served - before < 40, `after ${served - before} calls`);
  });

  test('no job runs while Redis is unavailable, and every job runs afterwards, within the limit', async () => {
    await begin({ max: 50, windowMs: 2000 });
    await rig.publishRaw(150);
    rig.startDispatcher();
    rig.startWorker('gemini', 4);
    await until(() => rig.calls.length >= 20);
    await redis.service.freeze();
    await until(() => rig.metricOf('worker.ratelimit.blocked') > 0);
    const before = rig.calls.length;
    const checkedBefore = rig.metricOf('worker.ratelimit.checked');
    await until(() => rig.metricOf('worker.ratelimit.checked') >= checkedBefore + 8);
    assert.ok(rig.calls.length - before <= 4, 'only what had its permit was run');
    await redis.service.thaw();
    await allSucceeded(150);
    assert.ok(mostWithin(rig.calls, 2000) <= 50, `${mostWithin(rig.calls, 2000)}`);
  });
});
