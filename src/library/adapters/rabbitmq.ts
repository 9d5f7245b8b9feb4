// The public entry `spillway/adapters/rabbitmq`: queues on RabbitMQ with publisher confirms and exact delays. While the
// broker is unavailable publishing rejects, and consumers resume automatically.

import { openRabbitQueue } from '../../adapters/rabbitmq/open-rabbit-queue.ts';
import type { JobQueue } from '../../jobs/ports/job-queue.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import { type Log, silentLog } from '../../kernel/log.ts';

export type { JobQueue } from '../../jobs/ports/job-queue.ts';

/**
 * The options of `openRabbitmq`.
 *
 * @example
 * import type { RabbitmqOptions } from 'spillway/adapters/rabbitmq';
 *
 * export const options: RabbitmqOptions = { url: 'amqp://127.0.0.1', queueType: 'quorum', prefetch: 10 };
 */
export type RabbitmqOptions = {
  readonly url: string;
  /** For queues that do not exist yet; `classic` by default. */
  readonly queueType?: 'classic' | 'quorum';
  /** Deliveries that the broker sends ahead. */
  readonly prefetch?: number;
  readonly log?: Log;
  readonly clock?: Clock;
};

/**
 * Opens the queues of a broker. `publish` resolves when the broker has confirmed the message.
 *
 * @example
 * import { openRabbitmq } from 'spillway/adapters/rabbitmq';
 *
 * const queue = await openRabbitmq({ url: process.env.RABBITMQ_URL ?? 'amqp://127.0.0.1' });
 * await queue.publish('spillway_example_mails', { id: 'order-1', body: 'Thank you' });
 * console.log(queue.isUp());
 * await queue.close();
 */
export async function openRabbitmq(
  options: RabbitmqOptions,
): Promise<JobQueue & { isUp(): boolean }> {
  const { queueType = 'classic', clock = foregroundClock, log = silentLog } = options;
  return openRabbitQueue({ ...options, queueType, clock, log });
}
