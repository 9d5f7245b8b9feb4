// What the queues promise while the broker is killed, restarted, frozen, wiped or out of memory. A broker of its own,
// so that no other test sees it.

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

describe('queues on a RabbitMQ that fails', { timeout: 240_000 }, () => {
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

  it('delivers every confirmed message at least once though it is killed in the midst', async () => {
    const name = rig.name('killed');
    const tray = collect(rig.queue, name);
    await rig.queue.publish(name, { id: 'first', body: '' }, { delayMs: 200 });
    await tray.hasAll(['first']);
    // A quorum queue that is a second old does not always survive a kill, whatever was confirmed to it: the broker keeps
    // its list of them in memory for a moment. Those for delays are made once in the life of a broker.
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

  it('publishes and delivers on through an orderly restart', async () => {
    const name = rig.name('restarted');
    const tray = collect(rig.queue, name);
    const publishing = publishMany(rig.queue, name, 200, () => 0);
    await tray.has(20);
    await services.rabbitmq.restart();
    await tray.hasAll(await publishing);
    await tray.consumer.close();
  });

  it('makes its queues anew when the data of the broker is gone', async () => {
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
    // Published long before the queue was found to be gone; what came after is not missing.
    const minuteAgo = Date.now() - 60_000;
    const messages = [
      { id: 'lost', publishedAt: minuteAgo },
      { id: 'fresh', publishedAt: Date.now() + 30_000 },
    ];
    assert.deepEqual(await rig.queue.missing(name, messages), ['lost']);
    await tray.consumer.close();
  });

  it('rejects what a frozen broker does not confirm, and goes on when it thaws', async () => {
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

  it('publishes nothing into a memory alarm, bounds what waits, and goes on after it', async () => {
    const name = rig.name('alarmed');
    const few = await rig.open({ confirmTimeoutMs: 1500, maxWaiting: 3 });
    const tray = collect(few, name);
    await few.publish(name, { id: 'before', body: '' });
    await tray.hasAll(['before']);
    await control(services, 'set_vm_memory_high_watermark', 'absolute', '1MB');
    // The broker blocks a connection when it next publishes.
    await Promise.allSettled([few.publish(name, { id: 'blocked', body: '' })]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => few.publish(name, { id: `more ${index}`, body: '' })),
    );
    const reasons = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? String(outcome.reason) : 'taken',
    );
    assert.ok(reasons.every((reason) => reason !== 'taken'));
    assert.ok(reasons.some((reason) => reason.includes('wait to be published already')));
    await control(services, 'set_vm_memory_high_watermark', 'absolute', '512MB');
    await publishStubbornly(few, name, 'after');
    await tray.hasAll(['after']);
    await tray.consumer.close();
  });

  it('subscribes again when its queue is deleted', async () => {
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

  it('tells once that the broker is away and once that it is back', () => {
    const told = log.entries.filter((entry) => entry.metadata?.['connection'] === 'consume');
    const away = told.filter((entry) => entry.message === 'RabbitMQ is away');
    const back = told.filter((entry) => entry.message === 'RabbitMQ is back');
    assert.ok(away.length >= 3 && away.length === back.length, JSON.stringify(told));
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

/** Twenty at a time; gives back what was confirmed. */
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
