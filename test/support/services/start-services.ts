// Brings up what the tests need and gives back the way to bring it down. In this order for each: the one
// the environment names; a private one from programs on this machine; on Debian as root the same after
// installing; else one sentence that names what is missing. All start side by side. Whatever happens
// (a failed start, an exception, a signal, a kill -9 of this process) nothing of ours is left behind.

import type { Binaries } from './binaries/find-binaries.ts';
import { type ProvideOptions, provideBinaries } from './binaries/provide-binaries.ts';
import { PrivateRun } from './servers/private-run.ts';
import { drawPorts, startPrivateServer } from './servers/start-private-server.ts';
import { CATALOGUE, SERVER_NAMES, type ServerName, type WantedName } from './service-catalogue.ts';
import { givenService, type ServiceHandle } from './service-handle.ts';
import { createServices, type Services } from './services.ts';

export type StartOptions = ProvideOptions & {
  /** The three servers unless told otherwise. */
  wanted?: readonly WantedName[];
  /** False makes PostgreSQL faster and forgetful; a test that kills something wants it durable. */
  isDurable?: boolean;
  /** Gives up starting; what was started already is ended. */
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

/** The first failure calls off the others, and all have settled before it is thrown. */
async function startServers(
  names: readonly ServerName[],
  binaries: Binaries,
  run: PrivateRun | undefined,
  { env, log, signal: outer, isDurable = true }: StartOptions,
): Promise<Map<ServerName, ServiceHandle>> {
  const failure = new AbortController();
  const signal = outer ? AbortSignal.any([outer, failure.signal]) : failure.signal;
  const ports = await drawPorts();
  const start = async (name: ServerName): Promise<ServiceHandle> => {
    const url = env[CATALOGUE[name].variable];
    if (url) return givenService(name, url);
    if (!run) throw new Error(`${name} was given no folder to run in`);
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
