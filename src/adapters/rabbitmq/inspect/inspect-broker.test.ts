import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { servicesFromEnv } from '../../../../test/support/services/services-from-env.ts';
import { openRabbitRig, type RabbitRig } from '../../../../test/support/stores/rabbit-rig.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { BrokerFinding } from './check-queues.ts';
import { inspectRabbit } from './inspect-broker.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

describe('inspection of RabbitMQ', { timeout: 60_000 }, () => {
  let rig: RabbitRig;
  beforeEach(async () => {
    rig = await openRabbitRig(rabbitmqUrl);
  });
  afterEach(() => rig.close());

  async function declare(queue: string, args: Record<string, unknown>, durable = true) {
    await rig.outsider.withChannel((channel) =>
      channel.queueDeclare({ queue, durable, arguments: args }),
    );
  }

  async function findingsOn(queue: string): Promise<BrokerFinding[]> {
    const { findings } = await rig.queue.inspectQueues([queue]);
    return findings.filter((finding) => finding.queue === queue);
  }

  it('reports the version and which queues exist, and declares nothing', async () => {
    const [there, absent] = [rig.name('there'), rig.name('absent')];
    await rig.queue.publish(there, { id: 'm', body: '' });
    const names = [there, absent];
    const inspection = await inspectRabbit({ url: rabbitmqUrl, names }, systemClock);
    assert.match(inspection.version ?? '', /^\d+\.\d+\.\d+/);
    assert.deepEqual(inspection.queues, [
      { name: there, exists: true, messages: 1, consumers: 0 },
      { name: absent, exists: false, messages: 0, consumers: 0 },
    ]);
    const again = await inspectRabbit({ url: rabbitmqUrl, names: [absent] }, systemClock);
    assert.equal(again.queues[0]?.exists, false);
  });

  it('accepts a queue of either type, and harmless differences', async () => {
    const [classic, quorum, other] = [rig.name('c'), rig.name('q'), rig.name('o')];
    await declare(classic, {});
    await declare(quorum, { 'x-queue-type': 'quorum' });
    await declare(other, { 'x-max-priority': 3 });
    for (const queue of [classic, quorum, other])
      assert.deepEqual(
        (await findingsOn(queue)).map(({ status }) => status),
        ['ok'],
      );
  });

  it('warns of a queue that discards messages', async () => {
    const [fleeting, short] = [rig.name('fleeting'), rig.name('short')];
    await declare(fleeting, {}, false);
    await declare(short, { 'x-message-ttl': 5000 });
    for (const queue of [fleeting, short]) {
      const [finding] = await findingsOn(queue);
      assert.equal(finding?.status, 'warning');
      assert.match(JSON.stringify(finding), /may discard messages.*delete_queue/);
    }
  });

  it('finds a delay queue with another delay than its name says, and one without a target', async () => {
    const target = rig.name('target');
    const delayed = rig.name('target-delayed-500ms');
    await declare(delayed, {
      'x-message-ttl': 700,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': target,
    });
    const sentences = (await findingsOn(delayed)).map(({ status, sentence }) => status + sentence);
    assert.equal(sentences.length, 2);
    assert.match(sentences[0] ?? '', /^failed.*does not delay messages.*x-message-ttl/);
    assert.match(sentences[1] ?? '', /^failed.*does not exist/);
  });

  it('accepts a delay queue and a ladder as Spillway declares them', async () => {
    const name = rig.name('own');
    const delayed = rig.name('own-delayed-500ms');
    await rig.queue.publishDelayedFixed(name, { id: 'm', body: '' }, 500);
    await rig.queue.publish(name, { id: 'n', body: '' }, { delayMs: 100 });
    const { findings } = await rig.queue.inspectQueues([name, delayed]);
    assert.deepEqual(
      findings.filter(({ status }) => status !== 'ok'),
      [],
    );
  });

  it('reports delayed messages without a queue, and a wrong level of the ladder', async () => {
    const name = rig.name('gone');
    const level = rig.name('delay-250ms');
    await declare(level, { 'x-message-ttl': 99 });
    const refused = rig.queue.publish(name, { id: 'm', body: '' }, { delayMs: 300 });
    await assert.rejects(refused, { code: 'CAPACITY_EXHAUSTED' });
    assert.match(JSON.stringify(await rig.queue.inspectQueues([])), /delay-250ms does not delay/);
    await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: level }));
    await rig.queue.publish(name, { id: 'first', body: '' }, { delayMs: 1 });
    // The ladder exists by now, so this message is delayed when its queue is deleted.
    await rig.queue.publish(name, { id: 'm', body: '' }, { delayMs: 2000 });
    await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: name }));
    const isReported = async () =>
      JSON.stringify(await rig.queue.inspectQueues([])).includes('queue had been deleted');
    while (!(await isReported()));
  });

  it('gives a remedy when the broker is unreachable', async () => {
    const request = { url: 'amqp://127.0.0.1:1', names: [] };
    const { findings } = await inspectRabbit(request, systemClock);
    assert.equal(findings[0]?.status, 'failed');
    assert.match(JSON.stringify(findings), /RABBITMQ_URL/);
  });
});
