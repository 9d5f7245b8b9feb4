// The guarantees of the queues while the broker is killed, restarted, frozen, wiped or out of memory. It runs a private
// broker, so that no other test is affected.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Services } from '../../../test/support/services/services.ts';
import { startServices } from '../../../test/support/services/start-services.ts';
import {
  collectingLog,
  openRabbitRig,
  type RabbitRig,
} from '../../../test/support/stores/rabbit-rig.ts';
import type { Consumer, JobQueue } from '../../jobs/ports/job-queue.ts';

const run = promisify(execFile);

describe('queues on a failing RabbitMQ', { timeout: 240_000 }, () => {
  let services: Services;
  let rig: RabbitRig;
  const log = collectingLog();
  const strays: unknown[] = [];
  const noteStray = (cause: unknown) => void strays.push(cause);

  before(async () => {
    process.on('unhandledRejection', noteStray);
    const env = { PATH: process.env.PATH };
    services = await startServices({ env, log: () => {}, wanted: ['rabbitmq'] });
  });
  beforeEach(async () => {
    rig = await openRabbitRig(services.rabbitmqUrl, { log });
  });
  afterEach(() => rig.close());
  after(async () => {
    await services.close();
    process.off('unhandledRejection', noteStray);
    assert.deepEqual(strays, []);
  });

  it('delivers every confirmed message at least once across a kill', async () => {
    const name = rig.name('killed');
    const tray = collect(rig.queue, name);
    await rig.queue.publish(name, { id: 'first', body: '' }, { delayMs: 200 });
    await tray.hasAll(['first']);
    // A quorum queue that is a second old may not survive a kill, whatever was confirmed: the broker writes its list of queues
    // with a delay. The ladder's queues are declared once in the life of a broker.
    await services.rabbitmq.restart();
    const publishing = publishMany(rig.queue, name, 200, (index) => (index % 4 === 0 ? 1500 : 0));
    await tray.has(21);
    await services.rabbitmq.kill('SIGKILL');
    await services.rabbitmq.restart();
    const confirmed = await publishing;
    assert.ok(confirmed.length > 20, `only ${confirmed.length} were confirmed`);
    await tray.hasAll(confirmed);
    await tray.consumer.close();
    assert.equal((await rig.queue.depth(name)).ready, 0);
  });

  it('continues to publish and deliver across an orderly restart', async () => {
    const name = rig.name('restarted');
    const tray = collect(rig.queue, name);
    const publishing = publishMany(rig.queue, name, 200, () => 0);
    await tray.has(20);
    await services.rabbitmq.restart();
    await tray.hasAll(await publishing);
    await tray.consumer.close();
  });

  it('declares its queues again after the broker lost its data', async () => {
    const name = rig.name('wiped');
    const tray = collect(rig.queue, name);
    await rig.queue.publish(name, { id: 'before', body: '' });
    await tray.hasAll(['before']);
    await rig.queue.publish(name, { id: 'lost', body: '' }, { delayMs: 60_000 });
    await services.rabbitmq.wipe();
    await publishStubbornly(rig.queue, name, 'after');
    await publishStubbornly(rig.queue, name, 'after a while', 500);
    await tray.hasAll(['after', 'after a while']);
    assert.ok(!tray.ids.has('lost'));
    // Published long before the queue was found missing; later messages are not missing.
    const minuteAgo = Date.now() - 60_000;
    const messages = [
      { id: 'lost', publishedAt: minuteAgo },
      { id: 'fresh', publishedAt: Date.now() + 30_000 },
    ];
    assert.deepEqual(await rig.queue.missing(name, messages), ['lost']);
    await tray.consumer.close();
  });

  it('rejects publishes to a frozen broker, and continues when it thaws', async () => {
    const impatient = await rig.open({ confirmTimeoutMs: 2000 });
    const name = rig.name('frozen');
    const tray = collect(impatient, name);
    await impatient.publish(name, { id: 'before', body: '' });
    await tray.hasAll(['before']);
    await services.rabbitmq.freeze();
    try {
      await assert.rejects(impatient.publish(name, { id: 'unsure', body: '' }), {
        code: 'CAPACITY_EXHAUSTED',
        retryable: true,
      });
      await delay(8000);
    } finally {
      await services.rabbitmq.thaw();
    }
    await publishStubbornly(impatient, name, 'after');
    await tray.hasAll(['after']);
    await tray.consumer.close();
  });

  it('publishes nothing during a memory alarm, bounds pending publishes, and continues after it', async () => {
    const name = rig.name('alarmed');
    const few = await rig.open({ confirmTimeoutMs: 1500, maxPending: 3 });
    const tray = collect(few, name);
    await few.publish(name, { id: 'before', body: '' });
    await tray.hasAll(['before']);
    await control(services, 'set_vm_memory_high_watermark', 'absolute', '1MB');
    // The broker blocks a connection at its next publish.
    await Promise.allSettled([few.publish(name, { id: 'blocked', body: '' })]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => few.publish(name, { id: `more ${index}`, body: '' })),
    );
    const reasons = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? String(outcome.reason) : 'taken',
    );
    assert.ok(reasons.every((reason) => reason !== 'taken'));
    assert.ok(reasons.some((reason) => reason.includes('are pending already')));
    await control(services, 'set_vm_memory_high_watermark', 'absolute', '512MB');
    await publishStubbornly(few, name, 'after');
    await tray.hasAll(['after']);
    await tray.consumer.close();
  });

  it('resubscribes when its queue is deleted', async () => {
    const name = rig.name('deleted');
    const tray = collect(rig.queue, name);
    await rig.queue.publish(name, { id: 'before', body: '' });
    await tray.hasAll(['before']);
    await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: name }));
    await rig.queue.publish(name, { id: 'at once', body: '' });
    await rig.queue.publish(name, { id: 'in a while', body: '' }, { delayMs: 500 });
    await tray.hasAll(['at once', 'in a while']);
    await tray.consumer.close();
  });

  it('logs one loss and one recovery of the broker', () => {
    const logged = log.entries.filter((entry) => entry.metadata?.['connection'] === 'consume');
    const losses = logged.filter((entry) => entry.message === 'RabbitMQ is unavailable');
    const recoveries = logged.filter((entry) => entry.message === 'RabbitMQ is available again');
    assert.ok(losses.length >= 3 && losses.length === recoveries.length, JSON.stringify(logged));
  });
});

type Tray = {
  readonly consumer: Consumer;
  readonly ids: ReadonlySet<string>;
  has(count: number): Promise<void>;
  hasAll(ids: readonly string[]): Promise<void>;
};

function collect(queue: JobQueue, name: string): Tray {
  const ids = new Set<string>();
  const consumer = queue.consume(name, { concurrency: 5 }, async ({ id }) => {
    await delay(5);
    ids.add(id);
    return 'ack';
  });
  const comes = async (isThere: () => boolean, what: () => string) => {
    for (let laps = 0; laps < 600 && !isThere(); laps += 1) await delay(100);
    assert.ok(isThere(), what());
  };
  return {
    consumer,
    ids,
    has: (count) =>
      comes(
        () => ids.size >= count,
        () => `only ${ids.size} came`,
      ),
    hasAll: (wanted) =>
      comes(
        () => wanted.every((id) => ids.has(id)),
        () => `missing: ${wanted.filter((id) => !ids.has(id)).join()}`,
      ),
  };
}

/** Publishes twenty at a time; returns the confirmed ids. */
async function publishMany(
  queue: JobQueue,
  name: string,
  count: number,
  delayMsOf: (index: number) => number,
): Promise<string[]> {
  const confirmed: string[] = [];
  for (let first = 0; first < count; first += 20) {
    const batch = Array.from({ length: 20 }, async (_, index) => {
      const id = `m${first + index}`;
      await queue.publish(name, { id, body: id }, { delayMs: delayMsOf(first + index) });
      confirmed.push(id);
    });
    await Promise.allSettled(batch);
  }
  return confirmed;
}

async function publishStubbornly(queue: JobQueue, name: string, id: string, delayMs = 0) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await queue.publish(name, { id, body: '' }, { delayMs });
    } catch (cause) {
      if (tries > 10) throw cause;
    }
  }
}

async function control(services: Services, ...args: readonly string[]): Promise<void> {
  await run(join(services.folder ?? '', 'rabbitmq', 'rabbitmqctl'), [...args]);
}
