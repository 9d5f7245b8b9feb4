// The running services. Access to a service that was not requested throws, instead of returning an undefined
// that fails elsewhere.

import type { PrivateRun } from './servers/private-run.ts';
import { CATALOGUE, SERVER_NAMES, type ServerName } from './service-catalogue.ts';
import type { ServiceHandle } from './service-handle.ts';

export type Services = {
  readonly redis: ServiceHandle;
  readonly rabbitmq: ServiceHandle;
  readonly postgres: ServiceHandle;
  readonly redisUrl: string;
  readonly rabbitmqUrl: string;
  readonly databaseUrl: string;
  readonly chromiumPath: string | undefined;
  /** The folder with the private servers' data and logs; undefined without private servers. */
  readonly folder: string | undefined;
  /** REDIS_URL, RABBITMQ_URL, DATABASE_URL and CHROMIUM_PATH of the requested services. */
  environment(): Record<string, string>;
  /** One line per service, for a person. */
  describe(): string;
  /** Ends everything that was started here and leaves nothing behind. Idempotent. */
  close(): Promise<void>;
};

export function createServices(
  servers: ReadonlyMap<ServerName, ServiceHandle>,
  run: PrivateRun | undefined,
  chromiumPath: string | undefined,
): Services {
  const server = (name: ServerName): ServiceHandle => {
    const handle = servers.get(name);
    if (!handle) throw new Error(`${CATALOGUE[name].title} was not requested`);
    return handle;
  };
  return Object.freeze({
    get redis() {
      return server('redis');
    },
    get rabbitmq() {
      return server('rabbitmq');
    },
    get postgres() {
      return server('postgres');
    },
    get redisUrl() {
      return server('redis').url;
    },
    get rabbitmqUrl() {
      return server('rabbitmq').url;
    },
    get databaseUrl() {
      return server('postgres').url;
    },
    chromiumPath,
    folder: run?.folder,
    environment: () => environmentOf(servers, chromiumPath),
    describe: () => describe(servers, chromiumPath),
    close: async () => run?.close(),
  });
}

function environmentOf(
  servers: ReadonlyMap<ServerName, ServiceHandle>,
  chromiumPath: string | undefined,
): Record<string, string> {
  const urls = [...servers].map(([name, { url }]) => [CATALOGUE[name].variable, url] as const);
  const path = chromiumPath ? [[CATALOGUE.chromium.variable, chromiumPath] as const] : [];
  return Object.fromEntries([...urls, ...path]);
}

function describe(
  servers: ReadonlyMap<ServerName, ServiceHandle>,
  chromiumPath: string | undefined,
): string {
  const lines = SERVER_NAMES.flatMap((name) => {
    const handle = servers.get(name);
    if (!handle) return [];
    const { host } = new URL(handle.url);
    const origin = handle.isPrivate ? `private, process ${handle.pid ?? 'down'}` : 'as given';
    return [`${handle.title} on ${host} (${origin})`];
  });
  return [...lines, ...(chromiumPath ? [`Chromium at ${chromiumPath}`] : [])].join('\n');
}
