// A private PgBouncer in front of a PostgreSQL. It refuses to run as root and then runs as the user `postgres`. Debian's
// package installs it; without it the tests are skipped.

import { accessSync, constants, readFileSync } from 'node:fs';
import { freePorts } from '../services/servers/free-ports.ts';
import { ServerGroup } from '../services/servers/server-group.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

export type PoolMode = 'session' | 'transaction';

export type PgBouncer = {
  /** The given URL with the address of PgBouncer. */
  urlOf(databaseUrl: string): string;
  close(): Promise<void>;
};

/** Why the tests are skipped, or false if PgBouncer is installed. */
export function pgbouncerMissing(): string | false {
  try {
    accessSync(PROGRAM, constants.X_OK);
    return false;
  } catch {
    return 'PgBouncer is not installed (apt-get install pgbouncer)';
  }
}

export async function startPgBouncer(serverUrl: string, mode: PoolMode): Promise<PgBouncer> {
  const group = await ServerGroup.open();
  const [port = 0] = await freePorts(1);
  const server = new URL(serverUrl);
  const [username, password] = [server.username, server.password].map(decodeURIComponent);
  const owner = unprivilegedOwner();
  await group.start({
    title: 'pgbouncer',
    program: PROGRAM,
    port,
    url: `postgres://127.0.0.1:${port}`,
    files: {
      'pgbouncer.ini': configuration(server, port, mode),
      'users.txt': `"${username}" "${password}"\n`,
    },
    args: ['pgbouncer.ini'],
    ...(owner ? { owner } : {}),
  });
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(port);
      return url.href;
    },
    close: () => group.close(),
  };
}

/** The defaults of PgBouncer, apart from the size of the pool. */
function configuration({ hostname, port: serverPort }: URL, port: number, mode: PoolMode): string {
  return [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    'auth_file = users.txt',
    `pool_mode = ${mode}`,
    'default_pool_size = 40',
    '',
  ].join('\n');
}

function unprivilegedOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!line) throw new Error('PgBouncer refuses to run as root and there is no user postgres');
  return { uid: Number(line[1]), gid: Number(line[2]) };
}
