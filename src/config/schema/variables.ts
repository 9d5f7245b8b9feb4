// The names of the environment variables. Other programs share the environment, so unknown names are ignored; only a
// name that begins with SPILLWAY_ and differs in one or two letters from a known variable is refused as a typo. A
// larger distance is accepted: Kubernetes sets SPILLWAY_PORT and similar variables for a service named spillway.

import { ConfigError, showName } from '../config-error.ts';
import { editDistance, nearest } from '../nearest.ts';
import { BUILT_IN_NAMES } from '../providers/built-in-providers.ts';
import { variableOf } from '../read-rows.ts';
import { COMPAT_ROWS } from './compat.ts';
import { PROVIDER_ROWS } from './named-settings.ts';
import { SETTINGS } from './settings.ts';

const PREFIX = 'SPILLWAY_';
const MAX_TYPO_DISTANCE = 2;

/** Variables of the test scripts; the configuration does not read them. */
const SCRIPT_VARIABLES = ['SPILLWAY_NO_INSTALL'];

/** The variables of the sections; the variables of providers depend on their names. */
export const SECTION_VARIABLES: readonly string[] = [
  COMPAT_ROWS,
  ...Object.values(SETTINGS),
].flatMap((rows) => Object.values(rows).flatMap((row) => row.env ?? []));

export function providerVariables(provider: string): readonly string[] {
  return Object.values(PROVIDER_ROWS).flatMap((row) => variableOf(row, provider) ?? []);
}

/** The key variables of the built-in providers, for messages. */
export const KEY_VARIABLES: readonly string[] = BUILT_IN_NAMES.flatMap(
  (name) => variableOf(PROVIDER_ROWS.apiKey, name) ?? [],
);

export function refuseMisspeltVariables(names: readonly string[]): void {
  const known = SECTION_VARIABLES.filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    if (!name.startsWith(PREFIX) || known.includes(name)) continue;
    if (SCRIPT_VARIABLES.includes(name)) continue;
    const meant = nearest(name, known);
    if (meant === undefined || editDistance(name, meant) > MAX_TYPO_DISTANCE) continue;
    throw new ConfigError(
      `${showName(name)} is not a known variable; the nearest one is ${meant}.`,
    );
  }
}
