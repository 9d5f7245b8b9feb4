// Assigns folder, ports and plan to a server and starts it. RabbitMQ gets its own epmd.

import { join } from 'node:path';
import type { Binaries } from '../binaries/find-binaries.ts';
import { planPostgres } from '../plans/postgres.ts';
import { planEpmd, planRabbitmq } from '../plans/rabbitmq.ts';
import { planRedis } from '../plans/redis.ts';
import type { ServerPlan } from '../plans/server-plan.ts';
import type { Log, ServerName } from '../service-catalogue.ts';
import { freePorts } from './free-ports.ts';
import type { PrivateRun } from './private-run.ts';
import { PrivateServer } from './private-server.ts';

export type PrivateOptions = { isDurable: boolean; log: Log; signal: AbortSignal };

/** Servers that start concurrently draw from one set of ports, so that no two get the same. */
export type Ports = Readonly<
  Record<'redis' | 'amqp' | 'distribution' | 'epmd' | 'postgres', number>
>;

export async function choosePorts(): Promise<Ports> {
  const [redis = 0, amqp = 0, distribution = 0, epmd = 0, postgres = 0] = await freePorts(5);
  return { redis, amqp, distribution, epmd, postgres };
}

export async function startPrivateServer(
  name: ServerName,
  binaries: Binaries,
  ports: Ports,
  run: PrivateRun,
  options: PrivateOptions,
): Promise<PrivateServer> {
  const startedAt = performance.now();
  const [main, ...helpers] = plansFor(name, binaries, ports, run.folder, options);
  for (const plan of helpers) await new PrivateServer(plan, run.reaper).create(options.signal);
  const server = new PrivateServer(main, run.reaper);
  await server.create(options.signal);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  options.log(`${main.title} is ready on 127.0.0.1:${main.port} after ${seconds} s.`);
  return server;
}

/** The server's plan, followed by the plans of its dependencies. */
function plansFor(
  name: ServerName,
  binaries: Binaries,
  ports: Ports,
  folder: string,
  options: PrivateOptions,
): [ServerPlan, ...ServerPlan[]] {
  const own = join(folder, name);
  if (name === 'redis') return [planRedis(found(binaries.redis, name), own, ports.redis)];
  if (name === 'postgres')
    return [planPostgres(found(binaries.postgres, name), own, ports.postgres, options)];
  const binary = found(binaries.rabbitmq, name);
  return [planRabbitmq(binary, own, ports), planEpmd(binary, join(folder, 'epmd'), ports.epmd)];
}

function found<T>(binary: T | undefined, name: ServerName): T {
  if (binary === undefined) throw new Error(`The programs of ${name} were not provided`);
  return binary;
}
