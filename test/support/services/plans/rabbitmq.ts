// A private RabbitMQ and the private epmd that Erlang needs. The broker is started by its inner script,
// because Debian's wrapper changes user. The epmd runs in the foreground on its own port: otherwise the
// broker would start an epmd that outlives it, or use the machine's.

import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { amqpLogin } from './amqp-login.ts';
import { canConnect } from './probe-connection.ts';
import { type BrokerPorts, brokerEnvironment, fillBrokerFolder } from './rabbitmq-folder.ts';
import { serverEnvironment } from './server-environment.ts';
import type { ServerPlan } from './server-plan.ts';

type Binaries = { server: string; control: string; epmd: string };

const USER = 'spillway';

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

export function planRabbitmq(binary: Binaries, folder: string, ports: BrokerPorts): ServerPlan {
  const password = randomBytes(16).toString('hex');
  const node = `spillway-${randomBytes(6).toString('hex')}@localhost`;
  const env = brokerEnvironment(folder, node, ports);
  return {
    title: 'RabbitMQ',
    url: `amqp://${USER}:${password}@127.0.0.1:${ports.amqp}`,
    port: ports.amqp,
    folder,
    mainCommand: 'beam.smp',
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
    prepare: () => fillBrokerFolder(folder, { user: USER, password, control: binary.control, env }),
    command: () => ({ file: binary.server, args: [], env }),
    probe: () => amqpLogin({ host: '127.0.0.1', port: ports.amqp, user: USER, password }),
    clear: () => rm(join(folder, 'mnesia'), { recursive: true, force: true }),
  };
}
