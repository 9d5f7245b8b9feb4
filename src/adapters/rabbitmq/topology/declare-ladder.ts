// Declares the delay ladder. Its queues are quorum queues that dead-letter at least once, whatever the type of the other
// queues. A broker that refuses them (before 3.10, or with feature flags off) gets classic queues, which dead-letter at most
// once: there the sweeper publishes lost jobs again.

import type { Channel } from 'rabbitmq-client';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { isRefusal } from '../connection/broker-error.ts';
import { type DelayLadder, describeLadder, dueKey, type LadderLevel } from './delay-ladder.ts';

/** Rejects with PRECONDITION_FAILED if a queue of the ladder exists with other arguments. */
export async function declareLadder(
  connection: BrokerConnection,
  name: string,
): Promise<DelayLadder> {
  const ladder = describeLadder(name, 'quorum');
  try {
    await connection.withChannel((channel) => declareAll(channel, ladder));
    return ladder;
  } catch (cause) {
    if (!isRefusal(cause)) throw cause;
    return declareClassic(connection, name, cause);
  }
}

/** Idempotent and cheap: every user of a queue binds it, because a queue that was declared again has no binding. */
export async function bindToLadder(
  connection: BrokerConnection,
  ladder: DelayLadder,
  queue: string,
): Promise<void> {
  const binding = { queue, exchange: ladder.exit, routingKey: dueKey(queue) };
  await connection.withChannel((channel) => channel.queueBind(binding));
}

/** Throws the first refusal: the second one may only say that the queue is not classic either. */
async function declareClassic(
  connection: BrokerConnection,
  name: string,
  firstRefusal: unknown,
): Promise<DelayLadder> {
  const ladder = describeLadder(name, 'classic');
  try {
    await connection.withChannel((channel) => declareAll(channel, ladder));
    return ladder;
  } catch (cause) {
    throw isRefusal(cause) ? firstRefusal : cause;
  }
}

async function declareAll(channel: Channel, ladder: DelayLadder): Promise<void> {
  const { unrouted, unroutedQueue, exit } = ladder;
  await channel.exchangeDeclare({ exchange: unrouted, type: 'fanout', durable: true });
  await channel.queueDeclare({ ...unroutedQueue });
  await channel.queueBind({ queue: unroutedQueue.queue, exchange: unrouted, routingKey: '' });
  // Without it a message of a deleted queue would stay on its level, and thirty-two of them would block the level.
  const alternate = { 'alternate-exchange': unrouted };
  await channel.exchangeDeclare({
    exchange: exit,
    type: 'topic',
    durable: true,
    arguments: alternate,
  });
  for (const level of ladder.levels) await declareLevel(channel, level);
}

async function declareLevel(channel: Channel, level: LadderLevel): Promise<void> {
  const { exchange, queue, below, waitKey, passKey } = level;
  await channel.exchangeDeclare({ exchange, type: 'topic', durable: true });
  await channel.queueDeclare({ ...queue });
  await channel.queueBind({ queue: queue.queue, exchange, routingKey: waitKey });
  await channel.exchangeBind({ source: exchange, destination: below, routingKey: passKey });
}
