// The names of our environment variables. The environment belongs to everybody, so unknown names are none of
// our business; but one that begins with SPILLWAY_ and is a letter or two from ours is a typo that would
// otherwise go unseen. Farther ones are left alone: Kubernetes sets SPILLWAY_PORT and its like for a service
// that is called spillway.

import { ConfigError, showName } from '../config-error.ts';
import { editDistance, nearest } from '../nearest.ts';
import { BUILT_IN_NAMES } from '../providers/built-in-providers.ts';
import { variableOf } from '../read-rows.ts';
import { PROVIDER_ROWS } from './named-settings.ts';
import { SETTINGS } from './settings.ts';

const PREFIX = 'SPILLWAY_';
const TYPO_LETTERS = 2;

/** Read by the scripts that bring up the services for tests, not by the configuration. */
const OTHERS_OF_OURS = ['SPILLWAY_NO_INSTALL'];

/** Of the sections alone; those of providers depend on which there are. */
export const SECTION_VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap((rows) =>
  Object.values(rows).flatMap((row) => row.env ?? []),
);

export function providerVariables(provider: string): readonly string[] {
  return Object.values(PROVIDER_ROWS).flatMap((row) => variableOf(row, provider) ?? []);
}

/** Those that hold the keys of the built-in providers, for sentences. */
export const KEY_VARIABLES: readonly string[] = BUILT_IN_NAMES.flatMap(
  (name) => variableOf(PROVIDER_ROWS.apiKey, name) ?? [],
);

export function refuseMisspeltVariables(names: readonly string[]): void {
  const ours = SECTION_VARIABLES.filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    if (!name.startsWith(PREFIX) || ours.includes(name) || OTHERS_OF_OURS.includes(name)) continue;
    const meant = nearest(name, ours);
    if (meant === undefined || editDistance(name, meant) > TYPO_LETTERS) continue;
    throw new ConfigError(
      `${showName(name)} is not a known variable; the nearest one is ${meant}.`,
    );
  }
}
