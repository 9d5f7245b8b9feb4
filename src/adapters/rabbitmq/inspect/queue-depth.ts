// Queue depth and missing messages, as far as AMQP reports them: the number of ready messages and of consumers. AMQP reports
// neither the number of unacknowledged messages, nor the age of the oldest, nor the target of a message on the delay ladder,
// nor whether a queue contains a given message.

import type { QueueDepth } from '../../../jobs/ports/job-queue.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { isNotFound } from '../connection/broker-error.ts';
import { readQueue } from '../topology/declare-queue.ts';
import { describeLadder } from '../topology/delay-ladder.ts';
import type { DepartedMessages } from '../topology/departed-messages.ts';

export type DepthQuery = {
  readonly queue: string;
  readonly ladderName: string;
  /** The fixed-delay queues of this queue. */
  readonly fixedDelays: Iterable<string>;
  /** Delivered to this process and not settled. */
  readonly unsettled: number;
};

/** `delayed` counts the whole ladder, which all queues share; `inFlight` counts the deliveries of this process. */
export async function depthOf(
  connection: BrokerConnection,
  { queue, ladderName, fixedDelays, unsettled }: DepthQuery,
): Promise<QueueDepth> {
  const counts = await readQueue(connection, queue);
  let delayed = await ladderDepth(connection, ladderName);
  for (const name of fixedDelays) delayed += (await readQueue(connection, name))?.messages ?? 0;
  return { ready: counts?.messages ?? 0, delayed, inFlight: unsettled };
}

/** The messages that must have left the queue; of the others nothing is known, so they count as present. */
export async function missingFrom(
  connection: BrokerConnection,
  departed: DepartedMessages,
  queue: string,
  messages: readonly { readonly id: string; readonly publishedAt: number }[],
): Promise<readonly string[]> {
  const readAt = connection.clock.now();
  const counts = await readQueue(connection, queue);
  if (!counts || counts.messages === 0) departed.note(queue, readAt);
  const isConsumed = counts !== undefined && counts.consumers > 0;
  return messages
    .filter(({ publishedAt }) => departed.hasLeft(queue, publishedAt, isConsumed))
    .map(({ id }) => id);
}

/** The number of messages on the ladder; 0 if it does not exist yet. */
async function ladderDepth(connection: BrokerConnection, name: string): Promise<number> {
  const { levels } = describeLadder(name, 'quorum');
  try {
    return await connection.withChannel(async (channel) => {
      let sum = 0;
      for (const { queue } of levels) {
        const answer = await channel.queueDeclare({ queue: queue.queue, passive: true });
        sum += answer.messageCount;
      }
      return sum;
    });
  } catch (cause) {
    if (isNotFound(cause)) return 0;
    throw cause;
  }
}
