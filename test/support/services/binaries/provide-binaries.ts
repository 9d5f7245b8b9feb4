// Finds the needed programs or installs them; otherwise fails with one message that says which are missing,
// why they were not installed and what to do.

import {
  CATALOGUE,
  type Environment,
  enumerate,
  type Log,
  type WantedName,
} from '../service-catalogue.ts';
import { type Binaries, findBinaries, missingBinaries } from './find-binaries.ts';
import { installObstacle, installPackages } from './install-packages.ts';

export type ProvideOptions = {
  env: Environment;
  log: Log;
  /** False has the effect of SPILLWAY_NO_INSTALL=1. */
  allowInstall?: boolean;
  /** Folders to search besides the PATH. */
  usualFolders?: readonly string[];
};

export async function provideBinaries(
  needed: readonly WantedName[],
  { env, log, allowInstall = true, usualFolders }: ProvideOptions,
): Promise<Binaries> {
  const found = findBinaries(env, usualFolders);
  const missing = missingBinaries(needed, found);
  if (missing.length === 0) return found;
  const obstacle = allowInstall ? installObstacle(env) : 'installing is not allowed here';
  if (obstacle !== undefined) throw new Error(missingSentence(missing, obstacle));
  await installPackages(missing, env, log);
  const installed = findBinaries(env, usualFolders);
  const still = missingBinaries(needed, installed);
  if (still.length > 0)
    throw new Error(missingSentence(still, 'they were not found even after installing'));
  return installed;
}

function missingSentence(missing: readonly WantedName[], obstacle: string): string {
  const entries = missing.map((name) => CATALOGUE[name]);
  const debian = entries.map((entry) => entry.debianPackage).join(' ');
  const homebrew = entries.map((entry) => entry.homebrewPackage).join(' ');
  return (
    `Missing on this machine: ${enumerate(entries.map((entry) => entry.title))} (${obstacle}); ` +
    `install with \`apt-get install ${debian}\` on Debian or \`brew install ${homebrew}\` on macOS, ` +
    `or set ${enumerate(entries.map((entry) => entry.variable))} to what you have.`
  );
}
