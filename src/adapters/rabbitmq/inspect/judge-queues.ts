// Are the queues as they should be? AMQP does not tell a queue's arguments. But a queue that exists can be declared
// again as Spillway would make it: that changes nothing, and the broker says whether and where it differs.

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { brokerCode, reasonOf } from '../connection/broker-error.ts';
import { declareQueue, lookAtQueue } from '../topology/declare-queue.ts';
import { describeLadder } from '../topology/delay-ladder.ts';
import type { QueueDefinition, QueueType } from '../topology/queue-definition.ts';
import { fixedDelayQueue, parseFixedDelayName, plainQueue } from '../topology/queue-definition.ts';
import { type BrokerFinding, doubtful, fine, wrong } from './broker-finding.ts';

/** Of a queue that exists. */
export async function judgeQueue(
  connection: BrokerConnection,
  name: string,
): Promise<readonly BrokerFinding[]> {
  const fixed = parseFixedDelayName(name);
  if (!fixed) return [await judgePlain(connection, name)];
  const target = await lookAtQueue(connection, fixed.queue);
  const held = await judgeDelay(connection, (type) =>
    fixedDelayQueue(fixed.queue, fixed.delayMs, type),
  );
  return target ? [held] : [held, missingTarget(name, fixed.queue)];
}

/** Everything that is wrong with it; nothing when it has not been made yet. */
export async function judgeLadder(
  connection: BrokerConnection,
  ladderName: string,
): Promise<readonly BrokerFinding[]> {
  const { levels, unroutedQueue } = describeLadder(ladderName, 'quorum');
  const classic = describeLadder(ladderName, 'classic').levels;
  const findings: BrokerFinding[] = [];
  for (const [index, { queue }] of levels.entries()) {
    if (!(await lookAtQueue(connection, queue.queue))) continue;
    const other = classic[index]?.queue ?? queue;
    findings.push(await judgeDelay(connection, (type) => (type === 'quorum' ? queue : other)));
  }
  const strays = (await lookAtQueue(connection, unroutedQueue.queue))?.messages ?? 0;
  if (strays > 0) findings.push(strayed(unroutedQueue.queue, strays));
  return findings.filter(({ status }) => status !== 'ok');
}

async function judgePlain(connection: BrokerConnection, queue: string): Promise<BrokerFinding> {
  const difference = await differenceOf(connection, (type) => plainQueue(queue, type));
  if (difference === undefined) return fine(queue, `${queue} is as Spillway makes it.`);
  if (!HARMFUL.test(difference)) return fine(queue, `${queue} is used as found (${difference}).`);
  return doubtful(
    queue,
    `${queue} may lose messages by itself (${difference}).`,
    `Let it run empty, delete it (rabbitmqctl delete_queue ${queue}), and let Spillway or its producer make it plain and durable.`,
  );
}

/** What makes a queue throw messages away, or itself. */
const HARMFUL =
  /arg '(durable|auto_delete|exclusive|x-message-ttl|x-expires|x-max-length|x-max-length-bytes)'/;

async function judgeDelay(
  connection: BrokerConnection,
  definitionOf: (type: QueueType) => QueueDefinition,
): Promise<BrokerFinding> {
  const { queue } = definitionOf('classic');
  const difference = await differenceOf(connection, definitionOf);
  if (difference === undefined)
    return fine(queue, `${queue} holds messages as long as its name says.`);
  if (LESS_SAFE.test(difference)) return lessSafe(queue, difference);
  return wrong(
    queue,
    `${queue} does not hold messages as its name says (${difference}).`,
    `Let it run empty and delete it (rabbitmqctl delete_queue ${queue}); Spillway makes it anew.`,
  );
}

/** What does not change how long a message waits, but how surely it is passed on. */
const LESS_SAFE = /arg 'x-(dead-letter-strategy|overflow|max-length)'/;

function lessSafe(queue: string, difference: string): BrokerFinding {
  return doubtful(
    queue,
    `${queue} may lose what it passes on while the broker fails (${difference}); the sweeper makes up for it.`,
    `Let it run empty and delete it (rabbitmqctl delete_queue ${queue}); Spillway makes it anew.`,
  );
}

function missingTarget(queue: string, target: string): BrokerFinding {
  return wrong(
    queue,
    `${queue} leads to ${target}, which is not there: what waits in it is lost when its time is up.`,
    `Declare ${target} as a durable queue, or start the dispatcher or worker that uses it.`,
  );
}

function strayed(queue: string, count: number): BrokerFinding {
  return doubtful(
    queue,
    `${count} delayed messages found their queue deleted when their time was up.`,
    `Jobs among them are published again by the sweeper; look at the rest, then run: rabbitmqctl purge_queue ${queue}`,
  );
}

/** The broker's words for the first difference from the kind it is; undefined when it is one of the two kinds. */
async function differenceOf(
  connection: BrokerConnection,
  definitionOf: (type: QueueType) => QueueDefinition,
): Promise<string | undefined> {
  const fromClassic = await refusalOf(connection, definitionOf('classic'));
  if (fromClassic === undefined) return undefined;
  const fromQuorum = await refusalOf(connection, definitionOf('quorum'));
  return fromQuorum?.includes("'x-queue-type'") ? fromClassic : fromQuorum;
}

async function refusalOf(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<string | undefined> {
  try {
    await declareQueue(connection, definition);
    return undefined;
  } catch (cause) {
    if (brokerCode(cause) !== 'PRECONDITION_FAILED') throw cause;
    return reasonOf(cause);
  }
}
