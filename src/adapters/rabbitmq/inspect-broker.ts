// Looks at the broker for `spillway doctor`: can it be reached, how old is it, are the queues there and as they
// should be, do delayed messages have somewhere to go. It changes nothing: a queue that exists is declared again
// as Spillway would make it, and the broker says whether and how it differs.

import type { BrokerConnection } from './broker-connection.ts';
import { brokerCode, reasonOf } from './broker-error.ts';
import { readBrokerVersion } from './broker-version.ts';
import { declareQueue, lookAtQueue } from './declare-queue.ts';
import { describeLadder } from './delay-ladder.ts';
import {
  fixedDelayQueue,
  parseFixedDelayName,
  plainQueue,
  type QueueDefinition,
  type QueueType,
} from './queue-definition.ts';

export type BrokerFinding =
  | { readonly status: 'ok'; readonly queue?: string; readonly sentence: string }
  | {
      readonly status: 'warning' | 'failed';
      readonly queue?: string;
      readonly sentence: string;
      readonly mend: string;
    };

export type InspectedQueue = {
  readonly name: string;
  readonly exists: boolean;
  readonly messages: number;
  readonly consumers: number;
};

export type BrokerInspection = {
  readonly version: string | undefined;
  readonly queues: readonly InspectedQueue[];
  readonly findings: readonly BrokerFinding[];
};

export type InspectionRequest = {
  readonly url: string;
  readonly names: readonly string[];
  readonly queueType: QueueType;
  readonly ladderName: string;
};

const REACH_WITHIN_MS = 5000;
const OLDEST_GOOD = [3, 10] as const;

export async function inspectBroker(
  connection: BrokerConnection,
  request: InspectionRequest,
): Promise<BrokerInspection> {
  try {
    await connection.ready(REACH_WITHIN_MS);
  } catch (cause) {
    const reason = connection.lastFailure ?? reasonOf(cause);
    return { version: undefined, queues: [], findings: [unreachable(reason)] };
  }
  const version = await readBrokerVersion(connection.clock, request.url);
  const queues: InspectedQueue[] = [];
  const findings: BrokerFinding[] = [judgeVersion(version)];
  for (const name of request.names) {
    const figures = await lookAtQueue(connection, name);
    const counts = figures ?? { messages: 0, consumers: 0 };
    queues.push({ name, exists: figures !== undefined, ...counts });
    findings.push(...(await judgeQueue(connection, name, figures !== undefined, request)));
  }
  findings.push(...(await judgeLadder(connection, request.ladderName)));
  return { version, queues, findings };
}

function unreachable(reason: string): BrokerFinding {
  return {
    status: 'failed',
    sentence: `RabbitMQ cannot be used (${reason}).`,
    mend: 'Start it, or set RABBITMQ_URL to where it is, with a user that may configure, write and read.',
  };
}

function judgeVersion(version: string | undefined): BrokerFinding {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [goodMajor, goodMinor] = OLDEST_GOOD;
  if (major > goodMajor || (major === goodMajor && minor >= goodMinor))
    return { status: 'ok', sentence: `RabbitMQ ${version} can be used.` };
  return {
    status: 'warning',
    sentence: `RabbitMQ ${version ?? 'of an unknown version'} may lose a delayed message when it is killed; the sweeper makes up for it within a minute.`,
    mend: `Use RabbitMQ ${goodMajor}.${goodMinor} or later.`,
  };
}

async function judgeQueue(
  connection: BrokerConnection,
  name: string,
  exists: boolean,
  { queueType }: InspectionRequest,
): Promise<readonly BrokerFinding[]> {
  const fixed = parseFixedDelayName(name);
  if (!exists) return [{ status: 'ok', queue: name, sentence: `${name} is made when it is used.` }];
  if (!fixed) return [await judgePlain(connection, plainQueue(name, queueType))];
  const definition = fixedDelayQueue(fixed.queue, fixed.delayMs, queueType);
  const target = await lookAtQueue(connection, fixed.queue);
  return [
    await judgeDelay(connection, definition),
    ...(target ? [] : [missingTarget(name, fixed.queue)]),
  ];
}

async function judgePlain(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<BrokerFinding> {
  const { queue } = definition;
  const difference = await differenceOf(connection, definition);
  if (difference === undefined)
    return { status: 'ok', queue, sentence: `${queue} is as Spillway makes it.` };
  if (!HARMFUL.test(difference))
    return { status: 'ok', queue, sentence: `${queue} is used as found (${difference}).` };
  return {
    status: 'warning',
    queue,
    sentence: `${queue} may lose messages by itself (${difference}).`,
    mend: `Let it run empty, delete it (rabbitmqctl delete_queue ${queue}) and let Spillway or its producer make it plain and durable.`,
  };
}

/** Arguments by which a queue throws messages away, or itself. */
const HARMFUL =
  /arg '(durable|auto_delete|exclusive|x-message-ttl|x-expires|x-max-length|x-max-length-bytes)'/;

async function judgeDelay(
  connection: BrokerConnection,
  definition: QueueDefinition,
): Promise<BrokerFinding> {
  const { queue } = definition;
  const difference = await differenceOf(connection, definition);
  if (difference === undefined || /arg 'x-(queue-type|overflow|max-length)'/.test(difference))
    return { status: 'ok', queue, sentence: `${queue} waits as long as its name says.` };
  return {
    status: 'failed',
    queue,
    sentence: `${queue} does not hold messages as its name says (${difference}).`,
    mend: `Let it run empty and delete it (rabbitmqctl delete_queue ${queue}); Spillway makes it anew.`,
  };
}

function missingTarget(name: string, target: string): BrokerFinding {
  return {
    status: 'failed',
    queue: name,
    sentence: `${name} leads to ${target}, which is not there: what waits is lost when its time is up.`,
    mend: `Declare ${target} as a durable queue, or start a worker or dispatcher that uses it.`,
  };
}

async function judgeLadder(
  connection: BrokerConnection,
  ladderName: string,
): Promise<readonly BrokerFinding[]> {
  const ladder = describeLadder(ladderName, 'quorum');
  const findings: BrokerFinding[] = [];
  for (const { queue } of ladder.levels) {
    if (!(await lookAtQueue(connection, queue.queue)))
      return [{ status: 'ok', sentence: 'The queues for exact delays are made when needed.' }];
    findings.push(await judgeDelay(connection, queue));
  }
  const wrong: BrokerFinding[] = findings.filter((finding) => finding.status !== 'ok');
  const unrouted = await lookAtQueue(connection, ladder.unroutedQueue.queue);
  if (unrouted && unrouted.messages > 0)
    wrong.push(strayed(ladder.unroutedQueue.queue, unrouted.messages));
  if (wrong.length > 0) return wrong;
  return [{ status: 'ok', sentence: 'The queues for exact delays are as they should be.' }];
}

function strayed(queue: string, messages: number): BrokerFinding {
  return {
    status: 'warning',
    queue,
    sentence: `${messages} delayed messages found their queue deleted when their time was up.`,
    mend: `Jobs among them were published again by the sweeper; look at the rest and then run: rabbitmqctl purge_queue ${queue}`,
  };
}

/** What the broker says about the first difference; undefined when there is none. */
async function differenceOf(
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
