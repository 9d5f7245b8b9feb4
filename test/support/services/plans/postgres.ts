// A private PostgreSQL: loopback only, no unix socket, a superuser with a random password. It refuses to run
// as root, so under root it runs as the user `postgres` (or `nobody` if that is missing). It is spawned as
// that user directly, because `su` would detach it from this process. Writes are durable by default: tests
// check what survives a kill.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withConnection } from './probe-connection.ts';
import { serverEnvironment } from './server-environment.ts';
import type { Command, Owner, ServerPlan } from './server-plan.ts';
import { releaseSharedMemory } from './shared-memory.ts';

const USER = 'spillway';

export function planPostgres(
  binary: { server: string; initdb: string },
  folder: string,
  port: number,
  options: { isDurable: boolean },
): ServerPlan {
  const password = randomBytes(16).toString('hex');
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const env = serverEnvironment(folder, { PATH: `${dirname(binary.server)}:/usr/bin:/bin` });
  const owner = unprivilegedOwner();
  const run = (file: string, args: string[]): Command => ({
    file,
    args,
    env,
    ...(owner ? { owner } : {}),
  });
  return {
    title: 'PostgreSQL',
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    stopSignal: 'SIGINT',
    endSignal: 'SIGQUIT',
    async prepare(runToEnd) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(passwordFile, password, { mode: 0o600 });
      if (owner) await giveTo(owner, dirname(folder), [folder, passwordFile]);
      await runToEnd(run(binary.initdb, initialArguments(data, passwordFile)));
    },
    command: () => run(binary.server, serverArguments(data, port, options.isDurable)),
    probe: () => probe(port, data),
    async clear() {
      releaseSharedMemory(data);
      await rm(data, { recursive: true, force: true });
    },
  };
}

function unprivilegedOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user) throw new Error('PostgreSQL refuses to run as root and there is no user postgres');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** The parent folder was created for its owner only: other users may traverse it, not list it. */
async function giveTo(owner: Owner, commonFolder: string, paths: readonly string[]): Promise<void> {
  await chmod(commonFolder, 0o711);
  for (const path of paths) await chown(path, owner.uid, owner.gid);
}

/** The initial data need not reach the disk: after a power loss no test is running. */
function initialArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
}

/** Dynamic shared memory lies in the data folder and is removed with it if the server was killed. */
function serverArguments(data: string, port: number, isDurable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    dynamic_shared_memory_type: 'mmap',
    fsync: isDurable ? 'on' : 'off',
    synchronous_commit: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', data, ...flags];
}

/** The data folder must report ready, and the port must ask for a password. */
async function probe(port: number, data: string): Promise<void> {
  const status = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[7] ?? '';
  if (status.trim() !== 'ready') throw new Error('PostgreSQL is not ready yet');
  const answer = await withConnection({ host: '127.0.0.1', port }, (server) => {
    server.send(startupMessage());
    return server.receive(1);
  });
  if (answer.toString('latin1') !== 'R') throw new Error('PostgreSQL is not ready yet');
}

function startupMessage(): Buffer {
  const parameters = Buffer.from(`user\0${USER}\0database\0postgres\0\0`);
  const message = Buffer.alloc(8 + parameters.length);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(196_608, 4);
  parameters.copy(message, 8);
  return message;
}
