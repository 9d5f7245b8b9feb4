// Starts the services that tests need and returns the handle to stop them. Each comes from the first source
// that has it: the environment; programs on this machine; on Debian as root, installed packages; else the
// start fails with a message that names the missing programs. All start concurrently. Nothing is left behind
// after a failed start, an exception, a signal, or a kill -9 of this process.

import type { Binaries } from './binaries/find-binaries.ts';
import { type ProvideOptions, provideBinaries } from './binaries/provide-binaries.ts';
import { PrivateRun } from './servers/private-run.ts';
import { choosePorts, startPrivateServer } from './servers/start-private-server.ts';
import { CATALOGUE, SERVER_NAMES, type ServerName, type WantedName } from './service-catalogue.ts';
import { namedService, type ServiceHandle } from './service-handle.ts';
import { createServices, type Services } from './services.ts';

export type StartOptions = ProvideOptions & {
  /** Default: the three servers. */
  wanted?: readonly WantedName[];
  /** False makes PostgreSQL faster and not durable; a test that kills a server needs durability. */
  isDurable?: boolean;
  /** Aborts the start; servers that have started are ended. */
  signal?: AbortSignal;
};

export async function startServices(options: StartOptions): Promise<Services> {
  const { env, signal } = options;
  const wanted = options.wanted ?? SERVER_NAMES;
  const isGiven = (name: WantedName) => Boolean(env[CATALOGUE[name].variable]);
  const binaries = await provideBinaries(
    wanted.filter((name) => !isGiven(name)),
    options,
  );
  signal?.throwIfAborted();
  const names = SERVER_NAMES.filter((name) => wanted.includes(name));
  const run = names.every(isGiven) ? undefined : await PrivateRun.open();
  try {
    const servers = await startServers(names, binaries, run, options);
    const chromiumPath = wanted.includes('chromium') ? binaries.chromium?.path : undefined;
    return createServices(servers, run, chromiumPath);
  } catch (error) {
    await run?.close();
    throw error;
  }
}

/** The first failure aborts the others, and all have settled before it is thrown. */
async function startServers(
  names: readonly ServerName[],
  binaries: Binaries,
  run: PrivateRun | undefined,
  { env, log, signal: outer, isDurable = true }: StartOptions,
): Promise<Map<ServerName, ServiceHandle>> {
  const failure = new AbortController();
  const signal = outer ? AbortSignal.any([outer, failure.signal]) : failure.signal;
  const ports = await choosePorts();
  const start = async (name: ServerName): Promise<ServiceHandle> => {
    const url = env[CATALOGUE[name].variable];
    if (url) return namedService(name, url);
    if (!run) throw new Error(`${name} has no folder to run in`);
    return startPrivateServer(name, binaries, ports, run, { isDurable, log, signal });
  };
  const starting = names.map(async (name) => {
    try {
      return [name, await start(name)] as const;
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(starting);
  signal.throwIfAborted();
  return new Map(await Promise.all(starting));
}
