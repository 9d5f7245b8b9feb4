// Starts a gateway from a configuration, for the command line and for programs that embed it: checks what the role needs,
// starts the simulator if it stands in for the providers, and creates the gateway. `close` closes the gateway first.

import type { Config } from '../config/config.ts';
import { assertNoOwnAddress } from '../config/providers/own-address.ts';
import {
  assertProviders,
  type Role,
  usesSimulator,
  withSimulator,
} from '../config/providers/simulator-stand-in.ts';
import { assertShared } from '../config/shared-services.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { createGateway, type Gateway } from './create-gateway.ts';
import { type Roles, rolesOf } from './roles.ts';

/** The number of calls that the built-in simulator logs in memory. */
const SIMULATOR_LOG_ENTRIES = 2000;

export type StartOptions = {
  readonly role: Role;
  /** The provider of a worker's queue. */
  readonly provider?: string | undefined;
  readonly clock?: Clock;
  /** In place of stdout. */
  readonly log?: Log | undefined;
};

export type StartedGateway = {
  readonly gateway: Gateway;
  readonly roles: Roles;
  /** The simulator answers in place of the providers. */
  readonly isSimulated: boolean;
  /** Idempotent. */
  close(): Promise<void>;
};

/** Rejects with ConfigError or StartFailure for a failure that an operator can cause. */
export async function startGateway(config: Config, options: StartOptions): Promise<StartedGateway> {
  const { role, provider, clock = systemClock, log } = options;
  assertNoOwnAddress(config, { role });
  assertProviders(config, { role });
  assertShared(config, { role });
  const simulator = usesSimulator(config, { role })
    ? await startBuiltInSimulator(clock)
    : undefined;
  try {
    const effective = simulator ? withSimulator(config, simulator.url) : config;
    const roles = rolesOf(role, effective, provider);
    const gateway = await createGateway(effective, roles, clock, simulator?.control, log);
    return {
      gateway,
      roles,
      isSimulated: simulator !== undefined,
      async close() {
        try {
          await gateway.close();
        } finally {
          await simulator?.close();
        }
      },
    };
  } catch (error) {
    await simulator?.close();
    throw error;
  }
}

/** Also loads the simulator's code, which a server with providers does not need. */
async function startBuiltInSimulator(clock: Clock): Promise<Simulator> {
  const { startSimulator } = await import('../simulator/simulator.ts');
  return startSimulator({ clock, logCapacity: SIMULATOR_LOG_ENTRIES });
}
