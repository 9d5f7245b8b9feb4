// The public entry `spillway/fastify`: a plugin that gives an application's own routes the capacity decision, the error
// boundary and the routing to other servers, and can mount the gateway's endpoints beside them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { registerOwnRoutes } from '../http/own-routes/own-routes-plugin.ts';
import { createGateway, type Gateway, OWN_ROUTES } from './create-gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';

export type { AdmittedRequest, CapacityRoute } from '../http/own-routes/own-routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The gateway of the plugin. */
    spillway: Gateway;
  }
}

/**
 * The options of the plugin: a gateway that the application closes itself, or the options of a gateway that closes with the
 * application.
 *
 * @example
 * import type { SpillwayPluginOptions } from 'spillway/fastify';
 *
 * export const options: SpillwayPluginOptions = { env: process.env, mount: '/ai' };
 */
export type SpillwayPluginOptions = (
  | { readonly gateway: Gateway }
  | (GatewayOptions & { readonly gateway?: undefined })
) & {
  /** The prefix of the gateway's endpoints in this application; by default they are not mounted. */
  readonly mount?: string;
};

/**
 * A Fastify plugin. A route with `config.spillway` runs when this server has the capacity for it, is forwarded to another server
 * of the cluster that has, or is refused with the time at which a retry can succeed. Failures of all routes leave as public answers.
 *
 * @example
 * import Fastify from 'fastify';
 * import { spillway } from 'spillway/fastify';
 *
 * const app = Fastify();
 * await app.register(spillway, { settings: { storage: { dataDir: '.spillway-app' } }, log: 'silent', mount: '/ai' });
 * app.post('/summaries', { config: { spillway: { model: 'gpt-5-mini' } } }, async () => 'Short.');
 * await app.close();
 */
export const spillway = Object.assign(registerSpillway, {
  // Fastify reads these: the hooks belong to the instance that registers the plugin, not to a scope of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'spillway',
  [Symbol.for('plugin-meta')]: { name: 'spillway', fastify: '5.x' },
});

export default spillway;

async function registerSpillway(
  app: FastifyInstance,
  options: SpillwayPluginOptions,
): Promise<void> {
  const gateway = options.gateway ?? (await createGateway(options));
  if (options.gateway === undefined) app.addHook('onClose', () => gateway.close());
  app.decorate('spillway', gateway);
  registerOwnRoutes(app, gateway[OWN_ROUTES]);
  if (options.mount !== undefined) mount(app, gateway, options.mount);
  app.addHook('onListen', async () => {
    const [address] = app.addresses();
    if (typeof address === 'object') await gateway.announce(urlOf(address));
  });
}

/** The gateway reads bodies itself, so its endpoints answer before the framework parses one. */
function mount(app: FastifyInstance, gateway: Gateway, prefix: string): void {
  const serve = gateway.handler(prefix);
  const onRequest = async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    if (!serve(raw, reply.raw)) reply.raw.writeHead(404).end();
  };
  const base = prefix.replace(/\/$/, '');
  for (const url of [base || '/', `${base}/*`]) app.all(url, { onRequest }, () => {});
}

function urlOf({ address, port, family }: { address: string; port: number; family: string }) {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
