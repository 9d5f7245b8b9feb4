// The composition root: configuration → infrastructure → services → HTTP. Only app/ connects adapters to ports. `close`
// closes everything in reverse order of opening, even after a failed start.

import type { Config } from '../config/config.ts';
import type { SimulatorControl } from '../http/routes/simulator.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { createLifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createAnnounce } from './cluster/announce-server.ts';
import { createDrainControl } from './cluster/drain-control.ts';
import type { Gateway } from './gateway.ts';
import { openHttp } from './open-http.ts';
import { type InfrastructureContext, openInfrastructure } from './open-infrastructure.ts';
import { openServices } from './open-services.ts';
import { openOwnRoutes } from './own-routes/open-own-routes.ts';
import { ALL_ROLES, type Roles } from './roles.ts';

export type { Gateway } from './gateway.ts';

/** `simulator`: controls the simulator that stands in for the providers, if it does. `lines`: a log in place of stdout. */
export async function createGateway(
  config: Config,
  roles: Roles = ALL_ROLES,
  clock: Clock = systemClock,
  simulator?: SimulatorControl,
  lines?: Log,
): Promise<Gateway> {
  const lifecycle = createLifecycle();
  try {
    return await compose(config, { roles, clock, lifecycle, lines }, simulator);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function compose(
  config: Config,
  context: InfrastructureContext,
  simulator: SimulatorControl | undefined,
): Promise<Gateway> {
  const infrastructure = await openInfrastructure(config, context);
  const services = await openServices(config, infrastructure);
  const { http, replyError } = await openHttp(config, infrastructure, services, simulator);
  const { identity, metrics, membership, roles, clock, log, lifecycle } = infrastructure;
  const { serve, jobs, cluster, readiness } = services;
  const { slots } = serve;
  const { pipeline } = jobs;
  const drainControl = createDrainControl({ readiness, slots, http, pipeline, clock, log });
  membership.connect({ describe: () => cluster.facts.record(), ...drainControl });
  const announce = createAnnounce(infrastructure);

  return {
    identity,
    metrics,
    handle: http.handle,
    ownRoutes: openOwnRoutes({ ...infrastructure, ...services, ...cluster, replyError }),
    announce,
    async listen() {
      // A dispatcher or worker listens only on an explicit port.
      if (!roles.isGateway && !config.server.isPortSet) return undefined;
      const url = await http.listen(config.server.host, config.server.port);
      await announce(url);
      return url;
    },
    close() {
      readiness.stop();
      // Other servers route no request here from now on.
      void membership.announce();
      return lifecycle.close();
    },
  };
}
