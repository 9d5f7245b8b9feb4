// A private Redis: loopback only, a random password, nothing written to disk (a restart is empty).

import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withConnection } from './probe-connection.ts';
import { serverEnvironment } from './server-environment.ts';
import type { ServerPlan } from './server-plan.ts';

export function planRedis(binary: { server: string }, folder: string, port: number): ServerPlan {
  const password = randomBytes(16).toString('hex');
  const configuration = join(folder, 'redis.conf');
  return {
    title: 'Redis',
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    folder,
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
    async prepare() {
      await mkdir(folder, { recursive: true });
      await writeFile(configuration, configurationText(folder, port, password), { mode: 0o600 });
    },
    command: () => ({
      file: binary.server,
      args: [configuration],
      env: serverEnvironment(folder),
    }),
    probe: () => ping(port, password),
    clear: () => Promise.resolve(),
  };
}

function configurationText(folder: string, port: number, password: string): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    'daemonize no',
    'save ""',
    'appendonly no',
    `dir "${folder}"`,
    '',
  ].join('\n');
}

async function ping(port: number, password: string): Promise<void> {
  const wanted = '+OK\r\n+PONG\r\n';
  const answer = await withConnection({ host: '127.0.0.1', port }, (server) => {
    server.send(`AUTH ${password}\r\nPING\r\n`);
    return server.receive(wanted.length);
  });
  if (answer.toString('latin1') !== wanted) throw new Error('Redis is not ready yet');
}
