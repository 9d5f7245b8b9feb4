// The folder and the environment of a private RabbitMQ. They replace everything that it would read from /etc,
// a home folder or the network, so that the machine's own broker is neither read nor changed. Every listener
// binds to loopback.

import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverEnvironment } from './server-environment.ts';

export type BrokerPorts = { amqp: number; distribution: number; epmd: number };

export type BrokerFolder = {
  user: string;
  password: string;
  /** The machine's rabbitmqctl, and the environment that directs it to this broker. */
  control: string;
  env: Readonly<Record<string, string>>;
};

/**
 * Erlang resolves names from this file only: no resolver processes, and no waiting for an unreachable DNS
 * server.
 */
const ONLY_LOCALHOST = '{lookup, [file]}.\n{host, {127,0,0,1}, ["localhost"]}.\n';

export async function fillBrokerFolder(folder: string, broker: BrokerFolder): Promise<void> {
  for (const name of ['mnesia', 'log', 'generated', 'schema', 'plugins'])
    await mkdir(join(folder, name), { recursive: true });
  const cookie = join(folder, '.erlang.cookie');
  await rm(cookie, { force: true });
  await writeFile(cookie, randomBytes(20).toString('hex'), { mode: 0o400 });
  await writeFile(join(folder, 'enabled_plugins'), '[].\n');
  await writeFile(join(folder, 'rabbitmq-env.conf'), '');
  await writeFile(join(folder, 'advanced.config'), '[].\n');
  await writeFile(join(folder, 'inetrc'), ONLY_LOCALHOST);
  await writeFile(join(folder, 'rabbitmq.conf'), configurationText(broker), { mode: 0o600 });
  await writeFile(join(folder, 'rabbitmqctl'), controlScript(broker), { mode: 0o700 });
}

function configurationText({ user, password }: BrokerFolder): string {
  return [
    `default_user = ${user}`,
    `default_pass = ${password}`,
    'vm_memory_high_watermark.absolute = 512MB',
    'disk_free_limit.absolute = 10MB',
    'log.console = true',
    'log.console.level = info',
    'log.file = false',
    '',
  ].join('\n');
}

/** For manual use: `<folder>/rabbitmqctl list_queues` addresses this broker. */
function controlScript({ control, env }: BrokerFolder): string {
  const settings = Object.entries(env).map(([name, value]) => `'${name}=${value}'`);
  return `#!/bin/sh\nexec env -i ${settings.join(' ')} '${control}' "$@"\n`;
}

export function brokerEnvironment(
  folder: string,
  node: string,
  ports: BrokerPorts,
): Record<string, string> {
  return serverEnvironment(folder, {
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.epmd),
    // Applies to every Erlang process, helpers included: none opens an external port, and none starts an
    // epmd, which would detach itself and outlive the others.
    ERL_AFLAGS: '-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}',
    ERL_INETRC: join(folder, 'inetrc'),
    ERL_CRASH_DUMP_SECONDS: '0',
    // Makes the script exec the broker instead of waiting for it: one process fewer to track.
    RUNNING_UNDER_SYSTEMD: 'true',
    RABBITMQ_NODENAME: node,
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PLUGINS_EXPAND_DIR: join(folder, 'plugins'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    RABBITMQ_SCHEMA_DIR: join(folder, 'schema'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    // Binding schedulers to cores would put the brokers of two test runs on the same core.
    RABBITMQ_SCHEDULER_BIND_TYPE: 'u',
  });
}
