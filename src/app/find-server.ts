// Where a running server may be found, and the keys that open it, for the command line. A server announces itself
// in its data folder; one whose process is gone left its announcement behind and does not count. A server
// elsewhere (in a container, in a cluster) is where HOST and PORT say, when its admin key was given too.

import { type DataFolder, openDataFolder } from '../adapters/files/data-folder.ts';
import type { Config } from '../config/config.ts';
import { StartFailure } from './start-failure.ts';

export type ServerClue = {
  /** Where to look. Undefined: nothing speaks for a server. */
  readonly url: string | undefined;
  /** Its process, when it announced itself on this machine. */
  readonly pid: number | undefined;
  readonly adminKey: string | undefined;
  /** Opens the endpoints of callers, for the organisation `default`. */
  readonly apiKey: string | undefined;
};

export function findServer(config: Config): ServerClue {
  try {
    return lookInto(openDataFolder(config.storage.dataDir), config);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartFailure(
      `The data folder ${config.storage.dataDir} cannot be read (${reason}); set SPILLWAY_DATA_DIR to one that can.`,
      { cause },
    );
  }
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function lookInto(folder: DataFolder, { server, auth }: Config): ServerClue {
  const keys = {
    adminKey: auth.adminKey ?? folder.read('admin-key'),
    apiKey: auth.apiKey ?? folder.read('api-key'),
  };
  const announced = folder.runningServer();
  if (announced && isAlive(announced.pid))
    return { url: reachable(announced.url), pid: announced.pid, ...keys };
  const isElsewhere = auth.adminKey !== undefined && server.port !== 0;
  const url = isElsewhere ? reachable(urlOf(server.host, server.port)) : undefined;
  return { url, pid: undefined, ...keys };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** "Every address" is one to listen on, not one to call. */
function reachable(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  if (hostname === '0.0.0.0') return `${protocol}//127.0.0.1:${port}`;
  if (hostname === '[::]') return `${protocol}//[::1]:${port}`;
  return url.replace(/\/$/, '');
}
