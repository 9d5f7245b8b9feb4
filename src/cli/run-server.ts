// Runs a server in the foreground: start, print the ready text, wait for a signal, drain, exit. A second signal exits
// at once.

import { urlOf } from '../app/find-server.ts';
import type { Roles } from '../app/roles.ts';
import { StartFailure } from '../app/start-failure.ts';
import { type StartedGateway, startGateway } from '../app/start-gateway.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Role } from '../config/providers/simulator-stand-in.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Repetition } from '../kernel/every.ts';
import type { CliContext } from './command.ts';
import { readyText } from './ready-text.ts';
import { keepMemoryReleased } from './release-memory.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LONG_MS = 2 ** 30;

export type ServerOptions = {
  readonly role: Role;
  readonly configFile?: string | undefined;
  /** In place of PORT and HOST. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** The provider of a worker's queue. */
  readonly provider?: string | undefined;
};

export async function runServer(context: CliContext, options: ServerOptions): Promise<void> {
  const { configFile, port, host } = options;
  const config = loadConfig({
    env: {
      ...context.env,
      ...(port === undefined ? {} : { PORT: String(port) }),
      ...(host === undefined ? {} : { HOST: host }),
    },
    cwd: context.cwd,
    ...(configFile === undefined ? {} : { configFile }),
  });
  await serveUntilSignal(context, config, options);
}

async function serveUntilSignal(
  context: CliContext,
  config: Config,
  { role, provider }: ServerOptions,
): Promise<void> {
  // Keeps the process of a role without a listener alive: the clock's timers are unreferenced.
  const alive = setInterval(() => {}, LONG_MS);
  const stopped = nextSignal();
  let started: StartedGateway | undefined;
  let memory: Repetition | undefined;
  try {
    started = await startGateway(config, { role, provider });
    const { gateway, roles, isSimulated } = started;
    const url = await gateway.listen().catch((error: unknown) => {
      throw listenFailure(error, config);
    });
    const { dataDir } = config.storage;
    const { apiKey, apiKeySource } = gateway.identity;
    const providers = isSimulated ? undefined : providersInUse(config, roles);
    const isAdminKeyConfigured = config.auth.adminKey !== undefined;
    const keys = { apiKey, apiKeySource, isAdminKeyConfigured };
    context.out(readyText({ role, url, ...keys, dataDir, providers }));
    memory = keepMemoryReleased(systemClock);
    await stopped;
    context.err('Stopping: waiting for requests and jobs in flight …');
    // A second signal does not wait for the drain.
    for (const signal of SIGNALS) process.once(signal, () => process.exit(130));
  } finally {
    await memory?.close();
    // A failed close rejects, and the process still ends.
    await (started?.close() ?? Promise.resolve()).finally(() => clearInterval(alive));
  }
}

/** A worker calls the provider of its queue; the other roles can reach every provider with a key. */
function providersInUse(config: Config, { workedProviders, isGateway }: Roles): readonly string[] {
  const withKey = Object.entries(config.providers)
    .filter(([, { hasKey }]) => hasKey)
    .map(([name]) => name);
  return isGateway ? withKey : withKey.filter((name) => workedProviders.includes(name));
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}

function listenFailure(error: unknown, { server }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = urlOf(server.host, server.port);
  switch (code) {
    case 'EADDRINUSE':
      return new StartFailure(
        `The address ${where} is in use by another program; stop that program or choose a free port with --port or PORT.`,
      );
    case 'EACCES':
      return new StartFailure(
        `The address ${where} may not be used by this user; choose a port of 1024 or more with --port or PORT.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(
        `${where} is not an address of this machine; choose one of its addresses with --host or HOST.`,
      );
    default:
      return error;
  }
}
