// A look at the broker for `spillway doctor`: can it be reached, how old is it, are the queues there and as they
// should be, do delayed messages have somewhere to go. It changes nothing.

import type { Clock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/log.ts';
import { BrokerConnection } from '../connection/broker-connection.ts';
import { readBrokerVersion } from '../connection/broker-version.ts';
import { lookAtQueue } from '../topology/declare-queue.ts';
import { DEFAULT_LADDER_NAME } from '../topology/delay-ladder.ts';
import { type BrokerFinding, fine } from './broker-finding.ts';
import { judgeLadder, judgeQueue } from './judge-queues.ts';

export type InspectedQueue = {
  readonly name: string;
  readonly exists: boolean;
  /** Ready for delivery. */
  readonly messages: number;
  readonly consumers: number;
};

export type BrokerInspection = {
  /** Undefined when it was not told. */
  readonly version: string | undefined;
  readonly queues: readonly InspectedQueue[];
  readonly findings: readonly BrokerFinding[];
};

export type InspectionRequest = {
  readonly url: string;
  readonly names: readonly string[];
  readonly ladderName?: string;
};

const REACH_WITHIN_MS = 5000;
/** Quorum queues that hold messages for a time and pass them on at least once. */
const OLDEST_GOOD = { major: 3, minor: 10 };

/** By itself, for who has no queue open; rejects only for a URL that is none. */
export async function inspectRabbit(
  request: InspectionRequest,
  clock: Clock,
): Promise<BrokerInspection> {
  const { url } = request;
  const connection = new BrokerConnection({ url, purpose: 'inspect', clock, log: silentLog });
  try {
    return await inspectBroker(connection, request);
  } finally {
    await connection.close();
  }
}

export async function inspectBroker(
  connection: BrokerConnection,
  { url, names, ladderName = DEFAULT_LADDER_NAME }: InspectionRequest,
): Promise<BrokerInspection> {
  if (!(await connection.isReachable(REACH_WITHIN_MS))) {
    const reason = connection.lastFailure ?? 'nobody answers';
    return { version: undefined, queues: [], findings: [unreachable(reason)] };
  }
  const version = await readBrokerVersion(connection.clock, url).catch(() => undefined);
  const queues: InspectedQueue[] = [];
  const findings: BrokerFinding[] = [judgeVersion(version)];
  for (const name of names) {
    const figures = await lookAtQueue(connection, name);
    queues.push({ name, exists: figures !== undefined, messages: 0, consumers: 0, ...figures });
    if (figures) findings.push(...(await judgeQueue(connection, name)));
    else findings.push(fine(name, `${name} is not there yet; it is made when it is used.`));
  }
  findings.push(...(await judgeLadder(connection, ladderName)));
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
  const isNewer = major > OLDEST_GOOD.major;
  if (isNewer || (major === OLDEST_GOOD.major && minor >= OLDEST_GOOD.minor))
    return { status: 'ok', sentence: `RabbitMQ ${version} can be used.` };
  return {
    status: 'warning',
    sentence: `RabbitMQ ${version ?? 'of an unknown version'} may lose a delayed message when it is killed; the sweeper makes up for it.`,
    mend: `Use RabbitMQ ${OLDEST_GOOD.major}.${OLDEST_GOOD.minor} or later.`,
  };
}
