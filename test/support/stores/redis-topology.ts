// Redis servers as users run them, on real processes: with TLS, with access lists, and as a primary with a replica behind
// three Sentinels that promote the replica within about a second.

import { Redis } from 'ioredis';
import { findBinaries } from '../services/binaries/find-binaries.ts';
import { freePorts } from '../services/servers/free-ports.ts';
import { ServerGroup } from '../services/servers/server-group.ts';
import type { ServiceHandle } from '../services/service-handle.ts';
import { until } from './redis-rig.ts';

const PASSWORD = 'password-of-redis';
const SENTINEL_PASSWORD = 'password-of-the-sentinels';
const NAME = 'main';

export type RunningRedis = { readonly port: number; close(): Promise<void> };

/** One Redis with further lines in its configuration and further files in its folder. */
export async function startRedis(
  lines: (port: number) => readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<RunningRedis> {
  const group = await ServerGroup.open();
  const [port = 0] = await freePorts(1);
  await group.start(redis('redis', port, lines(port), files));
  return { port, close: () => group.close() };
}

export type SentinelSet = {
  /** As REDIS_URL. */
  readonly url: string;
  readonly primary: ServiceHandle;
  /** A client of the Redis that was the replica at first. */
  readonly replica: Redis;
  /** Cuts replication: the replica lacks all later writes when it is promoted. */
  cutReplication(): Promise<void>;
  close(): Promise<void>;
};

export async function startSentinelSet(): Promise<SentinelSet> {
  const group = await ServerGroup.open();
  const [first = 0, second = 0, ...others] = await freePorts(5);
  const auth = [`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`, 'repl-diskless-sync-delay 0'];
  const primary = await group.start(redis('primary', first, auth));
  await group.start(redis('replica', second, [...auth, `replicaof 127.0.0.1 ${first}`]));
  await Promise.all(others.map((port) => group.start(sentinel(port, first))));
  const replica = new Redis({ port: second, password: PASSWORD });
  replica.on('error', () => {});
  await until(async () => /master_link_status:up/.test(await replica.info('replication')));
  for (const port of others) await untilSentinelSees(port);
  const hosts = others.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://:${PASSWORD}@${hosts}/${NAME}?sentinelPassword=${SENTINEL_PASSWORD}`,
    primary,
    replica,
    cutReplication: () => cutReplication(first, replica),
    async close() {
      replica.disconnect();
      await group.close();
    },
  };
}

async function cutReplication(primaryPort: number, replica: Redis): Promise<void> {
  const client = new Redis({ port: primaryPort, password: PASSWORD });
  client.on('error', () => {});
  await replica.config('SET', 'masterauth', 'wrong');
  await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  client.disconnect();
}

function redis(
  title: string,
  port: number,
  lines: readonly string[],
  files: Readonly<Record<string, string>> = {},
) {
  const configuration = ['bind 127.0.0.1', `port ${port}`, 'save ""', ...lines, ''].join('\n');
  return {
    title,
    port,
    program: redisServer(),
    url: `redis://127.0.0.1:${port}`,
    files: { 'redis.conf': configuration, ...files },
    args: ['redis.conf'],
  };
}

function sentinel(port: number, primaryPort: number) {
  const configuration = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel auth-pass ${NAME} ${PASSWORD}`,
    `sentinel down-after-milliseconds ${NAME} 500`,
    `sentinel failover-timeout ${NAME} 3000`,
    '',
  ].join('\n');
  return {
    title: `sentinel-${port}`,
    port,
    program: redisServer(),
    url: `redis://127.0.0.1:${port}`,
    files: { 'sentinel.conf': configuration },
    args: ['sentinel.conf', '--sentinel'],
  };
}

/** A Sentinel can take part in a failover once it knows the replica and the two other Sentinels. */
async function untilSentinelSees(port: number): Promise<void> {
  const client = new Redis({ port, password: SENTINEL_PASSWORD });
  const isComplete = (info: string) => /slaves=1,sentinels=3/.test(info);
  await until(async () => isComplete(await client.info('sentinel')));
  client.disconnect();
}

function redisServer(): string {
  const { redis: found } = findBinaries(process.env);
  if (!found) throw new Error('redis-server is missing: run the tests with `npm test`');
  return found.server;
}
