// The gateway for programs that embed it: on a listener of its own, or mounted in the program's server. The program owns its
// life: `close` ends everything that `createGateway` has started, and leaves no handle open.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { startGateway } from '../app/start-gateway.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { OwnRoutes } from '../http/own-routes/own-routes.ts';
import { configOf, type GatewayOptions, logOf } from './gateway-options.ts';
import { createPrefixHandler } from './prefix-handler.ts';

/** The parts for the Fastify plugin, under a symbol because they are not part of the public interface. */
export const OWN_ROUTES = Symbol('own routes');

/**
 * A running gateway.
 *
 * @example
 * import { createGateway, type Gateway } from 'spillway';
 *
 * const settings = { server: { port: 0 }, storage: { dataDir: '.spillway-listening' } };
 * const gateway: Gateway = await createGateway({ settings, log: 'silent' });
 * console.log(await gateway.listen(), gateway.apiKey);
 * await gateway.close();
 */
export type Gateway = {
  readonly serverId: string;
  /** The key of the organisation `default`; undefined in a cluster unless it is configured. */
  readonly apiKey: string | undefined;
  readonly adminKey: string;
  /** The built-in simulator answers in place of the providers, because no provider key is set. */
  readonly isSimulated: boolean;
  /** Listens on `server.host` and `server.port`; resolves to the URL. Not needed for a mounted gateway. */
  listen(): Promise<string>;
  /** A handler for the program's own `node:http` server: serves the paths under `prefix`, by default all paths. */
  handler(prefix?: string): GatewayHandler;
  /** The URL at which a mounted gateway can be reached: by other servers of the cluster and by the command line. */
  announce(url: string): Promise<void>;
  /** Undefined if this server can serve that model now; else the refusal that a caller would get. No I/O. */
  checkCapacity(model?: string): SpillwayError | undefined;
  /**
   * Idempotent: refuses new requests, waits for requests and jobs in flight up to `server.drainTimeoutMs`, stores what is
   * left and closes everything.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  readonly [OWN_ROUTES]: OwnRoutes;
};

/**
 * Serves a request; false if its path is not under the prefix, so that the program serves it.
 *
 * @example
 * import type { IncomingMessage, ServerResponse } from 'node:http';
 * import type { GatewayHandler } from 'spillway';
 *
 * export function serveWith(spillway: GatewayHandler, request: IncomingMessage, response: ServerResponse): void {
 *   if (!spillway(request, response)) response.writeHead(404).end();
 * }
 */
export type GatewayHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Creates a gateway in this process. Without a provider key the built-in simulator answers. Several gateways fit in one
 * process, each with a data folder of its own.
 *
 * Rejects with `ConfigError` for wrong options and with `StartFailure` for a store or service that cannot be used.
 *
 * @example
 * import { createServer } from 'node:http';
 * import { createGateway } from 'spillway';
 *
 * const gateway = await createGateway({ settings: { storage: { dataDir: '.spillway-mounted' } }, log: 'silent' });
 * const spillway = gateway.handler('/ai');
 * const server = createServer((request, response) => {
 *   if (!spillway(request, response)) response.writeHead(404).end();
 * });
 * await gateway.close();
 * server.close();
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { role = 'serve' } = options;
  const started = await startGateway(configOf(options), { role, log: logOf(options) });
  const { gateway, isSimulated } = started;
  const { serverId, apiKey, adminKey } = gateway.identity;
  const close = () => started.close();
  return Object.freeze({
    serverId,
    apiKey,
    adminKey,
    isSimulated,
    async listen() {
      const url = await gateway.listen();
      if (url === undefined) throw new TypeError(`The role ${role} listens only on a set port.`);
      return url;
    },
    handler: (prefix?: string) => createPrefixHandler(gateway.handle, prefix),
    announce: (url: string) => gateway.announce(url),
    checkCapacity: (model?: string) => gateway.ownRoutes.decide(model),
    close,
    [Symbol.asyncDispose]: close,
    [OWN_ROUTES]: gateway.ownRoutes,
  });
}
