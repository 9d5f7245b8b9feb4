// What the broker tells of its queues without anything being taken from them: how many messages are ready, and how
// many consumers there are. It does not tell over AMQP how many are in the hands of consumers, nor the age of the
// oldest, nor for which queue a message on the ladder waits, nor whether it holds a certain one.

import type { QueueDepth } from '../../../jobs/ports/job-queue.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { isNotFound } from '../connection/broker-error.ts';
import { lookAtQueue } from '../topology/declare-queue.ts';
import { describeLadder } from '../topology/delay-ladder.ts';
import type { LeftQueues } from '../topology/left-queues.ts';

export type DepthQuestion = {
  readonly queue: string;
  readonly ladderName: string;
  /** Queues for fixed delays that lead to this one. */
  readonly fixedDelays: Iterable<string>;
  /** Delivered to this process and not settled. */
  readonly unsettled: number;
};

/** `delayed` counts the whole ladder, which all queues share; `inFlight` is what this process has in hand. */
export async function depthOf(
  connection: BrokerConnection,
  { queue, ladderName, fixedDelays, unsettled }: DepthQuestion,
): Promise<QueueDepth> {
  const figures = await lookAtQueue(connection, queue);
  let delayed = await ladderDepth(connection, ladderName);
  for (const name of fixedDelays) delayed += (await lookAtQueue(connection, name))?.messages ?? 0;
  return { ready: figures?.messages ?? 0, delayed, inFlight: unsettled };
}

/** Those that must have left the queue. Of the others nothing is known, and they count as being there. */
export async function missingFrom(
  connection: BrokerConnection,
  left: LeftQueues,
  queue: string,
  messages: readonly { readonly id: string; readonly publishedAt: number }[],
): Promise<readonly string[]> {
  const askedAt = connection.clock.now();
  const figures = await lookAtQueue(connection, queue);
  if (!figures || figures.messages === 0) left.note(queue, askedAt);
  const isServed = figures !== undefined && figures.consumers > 0;
  return messages
    .filter(({ publishedAt }) => left.hasLeft(queue, publishedAt, isServed))
    .map(({ id }) => id);
}

/** How many messages wait on the ladder; none when it has not been made yet. */
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
