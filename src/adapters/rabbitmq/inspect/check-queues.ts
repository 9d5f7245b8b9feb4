// Checks that queues are as they should be. AMQP does not report a queue's arguments, but declaring an existing queue again
// changes nothing, and the broker names the first argument that differs.

import { reasonOf } from '../../../kernel/log.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { brokerCode } from '../connection/broker-error.ts';
import { declareQueue, readQueue } from '../topology/declare-queue.ts';
import { describeLadder } from '../topology/delay-ladder.ts';
import type { QueueDefinition, QueueType } from '../topology/queue-definition.ts';
import { fixedDelayQueue, parseFixedDelayName, plainQueue } from '../topology/queue-definition.ts';

/** A result of an inspection for operators: a statement, and for a problem its remedy. */
export type BrokerFinding =
  | { readonly status: 'ok'; readonly queue?: string; readonly sentence: string }
  | {
      readonly status: 'warning' | 'failed';
      readonly queue?: string;
      readonly sentence: string;
      readonly mend: string;
    };

export function ok(queue: string, sentence: string): BrokerFinding {
  return { status: 'ok', queue, sentence };
}

function warning(queue: string, sentence: string, mend: string): BrokerFinding {
  return { status: 'warning', queue, sentence, mend };
}

function failed(queue: string, sentence: string, mend: string): BrokerFinding {
  return { status: 'failed', queue, sentence, mend };
}

/** The queue must exist. */
export async function checkQueue(
  connection: BrokerConnection,
  name: string,
): Promise<readonly BrokerFinding[]> {
  const fixed = parseFixedDelayName(name);
  if (!fixed) return [await checkPlain(connection, name)];
  const target = await readQueue(connection, fixed.queue);
  const delay = await checkDelay(connection, (type) =>
    fixedDelayQueue(fixed.queue, fixed.delayMs, type),
  );
  return target ? [delay] : [delay, missingTarget(name, fixed.queue)];
}

/** The problems of the ladder; none for a ladder that does not exist yet. */
export async function checkLadder(
  connection: BrokerConnection,
  ladderName: string,
): Promise<readonly BrokerFinding[]> {
  const { levels, unroutedQueue } = describeLadder(ladderName, 'quorum');
  const classic = describeLadder(ladderName, 'classic').levels;
  const findings: BrokerFinding[] = [];
  for (const [index, { queue }] of levels.entries()) {
    if (!(await readQueue(connection, queue.queue))) continue;
    const other = classic[index]?.queue ?? queue;
    findings.push(await checkDelay(connection, (type) => (type === 'quorum' ? queue : other)));
  }
  const unrouted = (await readQueue(connection, unroutedQueue.queue))?.messages ?? 0;
  if (unrouted > 0) findings.push(unroutedMessages(unroutedQueue.queue, unrouted));
  return findings.filter(({ status }) => status !== 'ok');
}

async function checkPlain(connection: BrokerConnection, queue: string): Promise<BrokerFinding> {
  const difference = await differenceOf(connection, (type) => plainQueue(queue, type));
  if (difference === undefined) return ok(queue, `${queue} is as Spillway makes it.`);
  if (!HARMFUL.test(difference)) return ok(queue, `${queue} is used as found (${difference}).`);
  return warning(
    queue,
    `${queue} may discard messages (${difference}).`,
    `Let it run empty, delete it (rabbitmqctl delete_queue ${queue}), and let Spillway or its producer declare it plain and durable.`,
  );
}

/** Arguments by which a queue discards messages, or itself. */
const HARMFUL =
  /arg '(durable|auto_delete|exclusive|x-message-ttl|x-expires|x-max-length|x-max-length-bytes)'/;

async function checkDelay(
  connection: BrokerConnection,
  definitionOf: (type: QueueType) => QueueDefinition,
): Promise<BrokerFinding> {
  const { queue } = definitionOf('classic');
  const difference = await differenceOf(connection, definitionOf);
  if (difference === undefined) return ok(queue, `${queue} delays messages as its name says.`);
  if (LESS_RELIABLE.test(difference)) return lessReliable(queue, difference);
  return failed(
    queue,
    `${queue} does not delay messages as its name says (${difference}).`,
    `Let it run empty and delete it (rabbitmqctl delete_queue ${queue}); Spillway declares it again.`,
  );
}

/** Arguments that change the delivery guarantee and not the delay. */
const LESS_RELIABLE = /arg 'x-(dead-letter-strategy|overflow|max-length)'/;

function lessReliable(queue: string, difference: string): BrokerFinding {
  return warning(
    queue,
    `${queue} may lose messages if the broker fails while it passes them on (${difference}); the sweeper publishes lost jobs again.`,
    `Let it run empty and delete it (rabbitmqctl delete_queue ${queue}); Spillway declares it again.`,
  );
}

function missingTarget(queue: string, target: string): BrokerFinding {
  return failed(
    queue,
    `${queue} leads to ${target}, which does not exist: delayed messages are lost when they are due.`,
    `Declare ${target} as a durable queue, or start the dispatcher or worker that uses it.`,
  );
}

function unroutedMessages(queue: string, count: number): BrokerFinding {
  return warning(
    queue,
    `${count} delayed messages were due after their queue had been deleted.`,
    `The sweeper publishes jobs among them again; check the rest, then run: rabbitmqctl purge_queue ${queue}`,
  );
}

/** The broker's description of the first difference; undefined if the queue equals its classic or quorum definition. */
async function differenceOf(
  connection: BrokerConnection,
  definitionOf: (type: QueueType) => QueueDefinition,
): Promise<string | undefined> {
  const fromClassic = await mismatchOf(connection, definitionOf('classic'));
  if (fromClassic === undefined) return undefined;
  const fromQuorum = await mismatchOf(connection, definitionOf('quorum'));
  return fromQuorum?.includes("'x-queue-type'") ? fromClassic : fromQuorum;
}

async function mismatchOf(
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
