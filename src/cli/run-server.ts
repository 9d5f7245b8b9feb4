// Runs a server in the foreground: start, tell the person how to use it, wait for a signal, drain, end.
// A second signal ends it at once.

import { createGateway } from '../app/create-gateway.ts';
import { StartFailure } from '../app/start-failure.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { assertProviders, usesSimulator, withSimulator } from '../config/provider-keys.ts';
import { systemClock } from '../kernel/clock.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { CliContext } from './command.ts';
import { readyText } from './ready-text.ts';
import { releaseStartupMemory } from './release-memory.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function runServer(context: CliContext, configFile?: string): Promise<void> {
  const config = loadConfig({
    env: context.env,
    cwd: context.cwd,
    ...(configFile ? { configFile } : {}),
  });
  assertProviders(config, { role: 'serve' });
  const simulator = usesSimulator(config, { role: 'serve' })
    ? await startSimulator({ clock: systemClock })
    : undefined;
  try {
    const effective = simulator ? withSimulator(config, simulator.url) : config;
    await serveUntilSignal(context, effective, simulator?.url);
  } finally {
    await simulator?.close();
  }
}

async function serveUntilSignal(
  context: CliContext,
  config: Config,
  simulatorUrl: string | undefined,
): Promise<void> {
  const stopped = nextSignal();
  const gateway = await createGateway(config);
  try {
    const url = await gateway.listen().catch((error: unknown) => {
      throw listenFailure(error, config);
    });
    context.out(
      readyText({
        url,
        apiKey: gateway.identity.apiKey,
        dataDir: config.storage.dataDir,
        simulatorUrl,
      }),
    );
    releaseStartupMemory();
    await stopped;
    context.err('Stopping: finishing what is under way …');
    // Whoever asks twice does not want to wait.
    for (const signal of SIGNALS) process.once(signal, () => process.exit(130));
  } finally {
    await gateway.close();
  }
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, resolve);
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
