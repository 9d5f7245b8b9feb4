// Finds the running server and its keys for the command line. A server announces itself in its data folder; the
// announcement of a dead process does not count. A remote server (container, cluster) is at HOST and PORT, if its admin
// key is also configured.

import { type DataFolder, openDataFolder } from '../adapters/files/data-folder.ts';
import type { Config } from '../config/config.ts';
import { reasonOf } from '../kernel/log.ts';
import { StartFailure } from './start-failure.ts';

export type ServerLocation = {
  /** Undefined: neither an announcement nor the configuration points to a server. */
  readonly url: string | undefined;
  /** The process id of an announced server. */
  readonly pid: number | undefined;
  readonly adminKey: string | undefined;
  /** A key of the organisation `default`. */
  readonly apiKey: string | undefined;
};

export function findServer(config: Config): ServerLocation {
  try {
    return locate(openDataFolder(config.storage.dataDir), config);
  } catch (cause) {
    throw new StartFailure(
      `The data folder ${config.storage.dataDir} cannot be read (${reasonOf(cause)}); set SPILLWAY_DATA_DIR to a readable folder.`,
      { cause },
    );
  }
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function locate(folder: DataFolder, { server, auth }: Config): ServerLocation {
  const keys = {
    adminKey: auth.adminKey ?? folder.read('admin-key'),
    apiKey: auth.apiKey ?? folder.read('api-key'),
  };
  const announced = folder.runningServer();
  if (announced && isAlive(announced.pid))
    return { url: reachable(announced.url), pid: announced.pid, ...keys };
  const isRemote = auth.adminKey !== undefined && server.port !== 0;
  const url = isRemote ? reachable(urlOf(server.host, server.port)) : undefined;
  return { url, pid: undefined, ...keys };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The unspecified address is for listening; clients use loopback. */
function reachable(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  if (hostname === '0.0.0.0') return `${protocol}//127.0.0.1:${port}`;
  if (hostname === '[::]') return `${protocol}//[::1]:${port}`;
  return url.replace(/\/$/, '');
}
