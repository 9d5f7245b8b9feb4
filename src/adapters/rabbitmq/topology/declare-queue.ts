// Asks the broker about a queue and makes those that are not there. A queue that exists is used as it is found:
// the producer that made it plain durable must not be refused because we would have made it otherwise.
// Each question has a channel of its own, since the broker answers "no" by closing the channel.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { brokerCode, isNotFound } from '../connection/broker-error.ts';
import { isUsableName, type QueueDefinition } from './queue-definition.ts';

export type QueueFigures = { readonly messages: number; readonly consumers: number };

/** Looks and makes nothing; undefined when there is no such queue. `messages` are those ready for delivery. */
export async function lookAtQueue(
  connection: BrokerConnection,
  queue: string,
): Promise<QueueFigures | undefined> {
  try {
    const answer = await connection.withChannel((channel) =>
      channel.queueDeclare({ queue, passive: true }),
    );
    return { messages: answer.messageCount, consumers: answer.consumerCount };
  } catch (cause) {
    if (isNotFound(cause)) return undefined;
    throw cause;
  }
}

/** Makes the queue, or finds it just so; rejects with PRECONDITION_FAILED when it exists and is different. */
export async function declareQueue(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<void> {
  await connection.withChannel((channel) => channel.queueDeclare({ ...definition }));
}

export async function ensureQueue(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<'found' | 'made'> {
  const { queue } = definition;
  if (!isUsableName(queue))
    throw new SpillwayError('INTERNAL', `"${queue}" cannot be the name of a queue on RabbitMQ`);
  if (await lookAtQueue(connection, queue)) return 'found';
  try {
    await declareQueue(connection, definition);
    return 'made';
  } catch (cause) {
    // Somebody was quicker and made it differently.
    if (brokerCode(cause) === 'PRECONDITION_FAILED') return 'found';
    throw cause;
  }
}
