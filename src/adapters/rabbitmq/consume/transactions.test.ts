// Deliveries that are replaced by a message on another queue in one transaction of a real broker.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { SyncMessage } from 'rabbitmq-client';
import { servicesFromEnv } from '../../../../test/support/services/services-from-env.ts';
import { openRabbitRig, type RabbitRig } from '../../../../test/support/stores/rabbit-rig.ts';
import { until } from '../../../../test/support/stores/redis-rig.ts';
import type { QueueMessage } from '../../../jobs/ports/job-queue.ts';
import { readQueue } from '../topology/declare-queue.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);
const CHILD = join(import.meta.dirname, '../../../../test/support/jobs/forward-child.ts');
const BODY = Buffer.from('{ "id":1,\n "text":"Grüße" }');
const NOT_UTF8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);

for (const type of ['classic', 'quorum'] as const)
  describe(`replaced deliveries on ${type} queues`, { timeout: 120_000 }, () => {
    let rig: RabbitRig;
    let from: string;
    let to: string;
    beforeEach(async () => {
      rig = await openRabbitRig(rabbitmqUrl, { queueType: type });
      [from, to] = [rig.name('from'), rig.name('to')];
      await declare(from);
      await declare(to);
    });
    afterEach(() => rig.close());

    async function declare(queue: string): Promise<void> {
      const args = { 'x-queue-type': type };
      await rig.outsider.withChannel((channel) =>
        channel.queueDeclare({ queue, durable: true, arguments: args }),
      );
    }

    async function send(bodies: readonly Buffer[], properties: object = {}): Promise<void> {
      await rig.outsider.withChannel(async (channel) => {
        await channel.confirmSelect();
        const envelope = { routingKey: from, durable: true, ...properties };
        await Promise.all(bodies.map((body) => channel.basicPublish(envelope, body)));
      });
    }

    async function receive(queue: string): Promise<SyncMessage | undefined> {
      const got = await rig.outsider.withChannel((channel) =>
        channel.basicGet({ queue, noAck: true }),
      );
      return got && 'body' in got ? got : undefined;
    }

    /** The different bodies of a queue, read through one channel: a channel per message costs two round trips more. */
    const receiveAll = (queue: string) =>
      rig.outsider.withChannel(async (channel) => {
        const bodies = new Set<string>();
        for (;;) {
          const got = await channel.basicGet({ queue, noAck: true });
          if (!got || !('body' in got)) return bodies;
          bodies.add(JSON.stringify(got.body));
        }
      });

    const ready = async (queue: string) => (await readQueue(rig.outsider, queue))?.messages ?? 0;

    /** Replaces the next delivery, and resolves when the broker has committed. */
    async function replaceNext(
      message: (carries: NonNullable<QueueMessage['carries']>) => QueueMessage,
      options = {},
    ): Promise<void> {
      const replaced = Promise.withResolvers<void>();
      const consumer = rig.queue.consume(
        from,
        { concurrency: 1, isTransactional: true },
        async ({ source, replaceBy }) => {
          assert.ok(source && replaceBy);
          await replaceBy(to, message({ source, jobId: 'job_1', fence: 3 }), options);
          replaced.resolve();
          return { retryAfterMs: 0 };
        },
      );
      await replaced.promise;
      await consumer.close();
    }

    for (const [name, body] of [
      ['JSON', BODY],
      ['bytes that are not UTF-8', NOT_UTF8],
    ] as const)
      it(`a foreign message is carried byte for byte with its properties: ${name}`, async () => {
        const properties = {
          contentType: 'application/vnd.acme+json',
          correlationId: 'c1',
          messageId: 'm1',
          headers: { tenant: 'acme' },
        };
        await send([body], properties);
        await replaceNext((carries) => ({ id: 'A1', body: '', carries }));
        const got = await receive(to);
        assert.ok(got);
        assert.deepEqual(Buffer.isBuffer(got.body) ? got.body : Buffer.from(got.body), body);
        const { contentType, correlationId, messageId } = got;
        // A quorum queue adds its own.
        const { 'x-delivery-count': _, ...headers } = got.headers ?? {};
        assert.deepEqual(
          { contentType, correlationId, messageId, headers },
          {
            ...properties,
            headers: { tenant: 'acme', 'x-spillway-job': 'job_1', 'x-spillway-fence': 3 },
          },
        );
        assert.deepEqual([await ready(from), await ready(to)], [0, 0]);
      });

    it('a fixed delay keeps the carried message on its delay queue first', async () => {
      const delayed = `${to}-delayed-1500ms`;
      rig.name('to-delayed-1500ms');
      await send([BODY]);
      const options = { delayMs: 1500, isFixedDelay: true };
      await replaceNext((carries) => ({ id: 'A1', body: '', carries }), options);
      assert.deepEqual([await ready(from), await ready(to), await ready(delayed)], [0, 0, 1]);
      await until(async () => (await ready(to)) === 1);
    });

    it('a message of a deleted queue is published again, and no message is lost', async () => {
      await send([BODY, BODY]);
      await replaceNext((carries) => ({ id: 'A1', body: '', carries }));
      await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: to }));
      await replaceNext((carries) => ({ id: 'A2', body: '', carries }));
      await until(async () => (await ready(to)) === 1);
    });

    it('processes that are killed leave each message on exactly one queue', async () => {
      const count = 400;
      await send(Array.from({ length: count }, (_, index) => Buffer.from(`{"id":${index}}`)));
      for (let at = 30; (await ready(from)) > 0; at += 30) {
        const child = spawn(process.execPath, [CHILD, rabbitmqUrl, from, to], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          if (Number(text.trim().split('\n').at(-1)) >= at) child.kill('SIGKILL');
        });
        await Promise.race([once(child, 'close'), until(async () => (await ready(from)) === 0)]);
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
        // The broker requeues the unacknowledged messages of the dead connection.
        await until(async () => (await ready(from)) + (await ready(to)) >= count);
        assert.equal((await ready(from)) + (await ready(to)), count);
      }
      assert.equal((await receiveAll(to)).size, count);
    });
  });
