// The roles of a process: gateway, dispatcher, worker. `serve` has all of them.

import type { Config } from '../config/config.ts';
import { BUILT_IN_NAMES } from '../config/providers/built-in-providers.ts';
import type { JobRoles } from './jobs/open-jobs.ts';

export type Roles = JobRoles & { readonly isGateway: boolean };

/** Includes workers for the built-in providers; a worker without a key takes no jobs. */
export const ALL_ROLES: Roles = Object.freeze({
  isGateway: true,
  isDispatcher: true,
  workedProviders: BUILT_IN_NAMES,
});

export function rolesOf(
  role: 'serve' | 'gateway' | 'dispatcher' | 'worker',
  config: Config,
  provider?: string,
): Roles {
  return {
    isGateway: role === 'serve' || role === 'gateway',
    isDispatcher: role === 'serve' || role === 'dispatcher',
    workedProviders: workedProviders(role, config, provider),
  };
}

function workedProviders(
  role: string,
  config: Config,
  provider: string | undefined,
): readonly string[] {
  if (role === 'serve') return Object.keys(config.providers);
  return role === 'worker' ? [provider ?? config.dispatcher.fixedProvider] : [];
}
