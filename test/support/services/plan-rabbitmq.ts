// A private RabbitMQ and the private epmd that Erlang needs beside it. The broker is started by its inner
// script (Debian's wrapper changes user) with everything it would take from /etc or a home put in its own
// folder. Its epmd is ours too, started by us in the foreground on a port of its own: left to itself the
// broker would start one that outlives it, or use one that runs for somebody else. Nothing listens on
// another interface than loopback, not even the helper node that the broker starts for a moment.

import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { amqpLogin } from './amqp-login.ts';
import { canConnect } from './conversation.ts';
import { serverEnvironment } from './server-environment.ts';
import type { ServerPlan } from './server-plan.ts';

type Binaries = { server: string; control: string; epmd: string };
type Ports = { amqp: number; distribution: number; epmd: number };

const USER = 'spillway';

/** Erlang asks nobody for names: no resolver processes beside it, no waiting for a DNS that is away. */
const ONLY_LOCALHOST = '{lookup, [file]}.\n{host, {127,0,0,1}, ["localhost"]}.\n';

export function planEpmd(binary: Binaries, folder: string, port: number): ServerPlan {
  return {
    title: 'epmd',
    url: `tcp://127.0.0.1:${port}`,
    port,
    folder,
    stopSignal: 'SIGKILL',
    endSignal: 'SIGKILL',
    prepare: async () => void (await mkdir(folder, { recursive: true })),
    command: () => ({
      file: binary.epmd,
      args: ['-port', String(port), '-address', '127.0.0.1'],
      env: serverEnvironment(folder),
    }),
    async probe() {
      if (!(await canConnect({ host: '127.0.0.1', port })))
        throw new Error('epmd is not ready yet');
    },
    clear: () => Promise.resolve(),
  };
}

export function planRabbitmq(binary: Binaries, folder: string, ports: Ports): ServerPlan {
  const password = randomBytes(16).toString('hex');
  const node = `spillway-${randomBytes(6).toString('hex')}`;
  return {
    title: 'RabbitMQ',
    url: `amqp://${USER}:${password}@127.0.0.1:${ports.amqp}`,
    port: ports.amqp,
    folder,
    mainCommand: 'beam.smp',
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
    prepare: () => prepare(folder, password),
    command: () => ({
      file: binary.server,
      args: [],
      env: { ...brokerEnvironment(folder, node, ports) },
    }),
    probe: () => amqpLogin({ host: '127.0.0.1', port: ports.amqp, user: USER, password }),
    clear: () => rm(join(folder, 'mnesia'), { recursive: true, force: true }),
  };
}

async function prepare(folder: string, password: string): Promise<void> {
  for (const name of ['mnesia', 'log', 'generated', 'schema', 'plugins'])
    await mkdir(join(folder, name), { recursive: true });
  const cookie = join(folder, '.erlang.cookie');
  await rm(cookie, { force: true });
  await writeFile(cookie, randomBytes(20).toString('hex'), { mode: 0o400 });
  await writeFile(join(folder, 'enabled_plugins'), '[].\n');
  await writeFile(join(folder, 'rabbitmq-env.conf'), '');
  await writeFile(join(folder, 'advanced.config'), '[].\n');
  await writeFile(join(folder, 'rabbitmq.conf'), configurationText(password));
  await writeFile(join(folder, 'inetrc'), ONLY_LOCALHOST);
}

function configurationText(password: string): string {
  return [
    `default_user = ${USER}`,
    `default_pass = ${password}`,
    'vm_memory_high_watermark.absolute = 512MB',
    'disk_free_limit.absolute = 10MB',
    'log.console = true',
    'log.console.level = info',
    'log.file = false',
    '',
  ].join('\n');
}

/** ERL_AFLAGS reaches every Erlang that is started, so none opens a port to the outside. */
function brokerEnvironment(folder: string, node: string, ports: Ports): Record<string, string> {
  return serverEnvironment(folder, {
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_AFLAGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_INETRC: join(folder, 'inetrc'),
    ERL_CRASH_DUMP_SECONDS: '0',
    // Makes the script become the broker instead of waiting beside it: one process less to look after.
    RUNNING_UNDER_SYSTEMD: 'true',
    RABBITMQ_NODENAME: `${node}@localhost`,
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
