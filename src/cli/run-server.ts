// Runs a server in the foreground: start, tell the person how to use it, wait for a signal, drain, end.
// A second signal ends it at once.

import { createGateway, type Gateway } from '../app/create-gateway.ts';
import { rolesOf } from '../app/roles.ts';
import { StartFailure } from '../app/start-failure.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import {
  assertProviders,
  type Role,
  usesSimulator,
  withSimulator,
} from '../config/providers/provider-keys.ts';
import { assertShared } from '../config/shared-services.ts';
import { systemClock } from '../kernel/clock.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { CliContext } from './command.ts';
import { readyText } from './ready-text.ts';
import { releaseStartupMemory } from './release-memory.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What the simulator remembers of its calls inside a server: enough to look at, little to hold. */
const SIMULATOR_LOG_ENTRIES = 2000;
const LONG_MS = 2 ** 30;

export type ServerOptions = {
  readonly role: Role;
  readonly configFile?: string | undefined;
  /** Whose queue a worker takes from. */
  readonly provider?: string | undefined;
};

export async function runServer(context: CliContext, options: ServerOptions): Promise<void> {
  const { role, configFile } = options;
  const config = loadConfig({
    env: context.env,
    cwd: context.cwd,
    ...(configFile === undefined ? {} : { configFile }),
  });
  assertProviders(config, { role });
  assertShared(config, { role });
  const simulator = usesSimulator(config, { role })
    ? await startSimulator({ clock: systemClock, logCapacity: SIMULATOR_LOG_ENTRIES })
    : undefined;
  try {
    const effective = simulator ? withSimulator(config, simulator.url) : config;
    await serveUntilSignal(context, effective, options, simulator?.url);
  } finally {
    await simulator?.close();
  }
}

async function serveUntilSignal(
  context: CliContext,
  config: Config,
  { role, provider }: ServerOptions,
  simulatorUrl: string | undefined,
): Promise<void> {
  // A role that does not listen has nothing else that would keep the process alive.
  const alive = setInterval(() => {}, LONG_MS);
  const stopped = nextSignal();
  let gateway: Gateway | undefined;
  try {
    gateway = await createGateway(config, rolesOf(role, config, provider));
    const url = await gateway.listen().catch((error: unknown) => {
      throw listenFailure(error, config);
    });
    const { dataDir } = config.storage;
    const { apiKey } = gateway.identity;
    context.out(readyText({ role, url, apiKey, dataDir, simulatorUrl }));
    releaseStartupMemory();
    await stopped;
    context.err('Stopping: finishing what is under way …');
    // Whoever asks twice does not want to wait.
    for (const signal of SIGNALS) process.once(signal, () => process.exit(130));
  } finally {
    // What cannot be closed is told, and does not keep the process from ending.
    await (gateway?.close() ?? Promise.resolve()).finally(() => clearInterval(alive));
  }
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}

function listenFailure(error: unknown, { server }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${server.host}:${server.port}`;
  switch (code) {
    case 'EADDRINUSE':
      return new StartFailure(
        `The address ${where} is in use by another program; stop that one or set PORT to a free port.`,
      );
    case 'EACCES':
      return new StartFailure(
        `The address ${where} may not be used by this user; set PORT to 1024 or more.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(
        `The address ${where} is not one of this machine; set HOST to one that is.`,
      );
    default:
      return error;
  }
}
