// Reads and declares queues. An existing queue is used as it is: a producer's own declaration must not fail because Spillway
// would choose other arguments. Each command has a channel of its own, because the broker closes the channel of a failing one.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { brokerCode, isNotFound } from '../connection/broker-error.ts';
import { isUsableName, type QueueDefinition } from './queue-definition.ts';

export type QueueCounts = { readonly messages: number; readonly consumers: number };

/** Declares nothing; undefined if the queue does not exist. `messages` counts those ready for delivery. */
export async function readQueue(
  connection: BrokerConnection,
  queue: string,
): Promise<QueueCounts | undefined> {
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

/** Rejects with PRECONDITION_FAILED if the queue exists with other arguments. */
export async function declareQueue(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<void> {
  await connection.withChannel((channel) => channel.queueDeclare({ ...definition }));
}

export async function ensureQueue(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<'found' | 'declared'> {
  const { queue } = definition;
  if (!isUsableName(queue))
    throw new SpillwayError('INTERNAL', `"${queue}" is not a valid queue name on RabbitMQ`);
  if (await readQueue(connection, queue)) return 'found';
  try {
    await declareQueue(connection, definition);
    return 'declared';
  } catch (cause) {
    // Another process declared it meanwhile with other arguments.
    if (brokerCode(cause) === 'PRECONDITION_FAILED') return 'found';
    throw cause;
  }
}
