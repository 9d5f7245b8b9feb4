// Inspects the broker for `spillway doctor`: its availability and version, the queues and their arguments, and the delay
// ladder. It changes nothing.

import type { Clock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/log.ts';
import { BrokerConnection } from '../connection/broker-connection.ts';
import { readBrokerVersion } from '../connection/broker-version.ts';
import { readQueue } from '../topology/declare-queue.ts';
import { DEFAULT_LADDER_NAME } from '../topology/delay-ladder.ts';
import { type BrokerFinding, checkLadder, checkQueue, ok } from './check-queues.ts';

export type InspectedQueue = {
  readonly name: string;
  readonly exists: boolean;
  /** Ready for delivery. */
  readonly messages: number;
  readonly consumers: number;
};

export type BrokerInspection = {
  /** Undefined if the broker did not send it. */
  readonly version: string | undefined;
  readonly queues: readonly InspectedQueue[];
  readonly findings: readonly BrokerFinding[];
};

export type InspectionRequest = {
  readonly url: string;
  readonly names: readonly string[];
  readonly ladderName?: string;
};

const CONNECT_TIMEOUT_MS = 5000;
/** The first version with quorum queues that dead-letter at least once. */
const MIN_VERSION = { major: 3, minor: 10 };

/** Opens a connection of its own; rejects only for an invalid URL. */
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
  if (!(await connection.isReachable(CONNECT_TIMEOUT_MS))) {
    const reason = connection.lastFailure ?? 'no answer';
    return { version: undefined, queues: [], findings: [unreachable(reason)] };
  }
  const version = await readBrokerVersion(connection.clock, url).catch(() => undefined);
  const queues: InspectedQueue[] = [];
  const findings: BrokerFinding[] = [checkVersion(version)];
  for (const name of names) {
    const counts = await readQueue(connection, name);
    queues.push({ name, exists: counts !== undefined, messages: 0, consumers: 0, ...counts });
    if (counts) findings.push(...(await checkQueue(connection, name)));
    else findings.push(ok(name, `${name} does not exist yet; it is declared on first use.`));
  }
  findings.push(...(await checkLadder(connection, ladderName)));
  return { version, queues, findings };
}

function unreachable(reason: string): BrokerFinding {
  return {
    status: 'failed',
    sentence: `RabbitMQ is unavailable (${reason}).`,
    mend: 'Start it, or set RABBITMQ_URL to its address, with a user that may configure, write and read.',
  };
}

function checkVersion(version: string | undefined): BrokerFinding {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isNewer = major > MIN_VERSION.major;
  if (isNewer || (major === MIN_VERSION.major && minor >= MIN_VERSION.minor))
    return { status: 'ok', sentence: `RabbitMQ ${version} is supported.` };
  return {
    status: 'warning',
    sentence: `RabbitMQ ${version ?? 'of an unknown version'} may lose a delayed message when it is killed; the sweeper publishes lost jobs again.`,
    mend: `Use RabbitMQ ${MIN_VERSION.major}.${MIN_VERSION.minor} or later.`,
  };
}
