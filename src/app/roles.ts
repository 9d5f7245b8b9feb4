// What a process does: answer callers, dispatch jobs, work them off. `serve` does all of it.

import type { Config } from '../config/config.ts';
import { BUILT_IN_NAMES } from '../config/providers/built-in-providers.ts';
import type { JobRoles } from './open/open-jobs.ts';

export type Roles = JobRoles & { readonly isGateway: boolean };

/** Workers for the built-in providers; those without a key take nothing. */
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
