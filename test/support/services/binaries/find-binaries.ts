// Searches for the servers' programs on the PATH and in the folders where Debian and Homebrew put programs
// outside it. The caller decides what to do about a missing one.

import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { CATALOGUE, type Environment, type WantedName } from '../service-catalogue.ts';

export type Binaries = {
  redis?: { server: string };
  rabbitmq?: { server: string; control: string; epmd: string };
  postgres?: { server: string; initdb: string };
  chromium?: { path: string };
};

/** Folders with programs outside the PATH. A `*` stands for a version. */
const USUAL_FOLDERS: readonly string[] = Object.freeze([
  '/usr/lib/rabbitmq/bin',
  '/usr/lib/erlang/bin',
  '/usr/lib/postgresql/*/bin',
  '/opt/homebrew/opt/*/bin',
  '/opt/homebrew/opt/*/sbin',
  '/usr/local/opt/*/bin',
  '/usr/local/opt/*/sbin',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
]);

const CHROMIUM_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Chromium',
  'Google Chrome',
] as const;

export function findBinaries(env: Environment, usual: readonly string[] = USUAL_FOLDERS): Binaries {
  const folders = [...usual.flatMap(expandVersion), ...(env['PATH'] ?? '').split(delimiter)];
  return {
    ...findRedis(folders),
    ...findRabbitmq(folders),
    ...findPostgres(folders),
    ...findChromium(folders, env),
  };
}

/** Newest version first, in numerical order: 16 before 9. */
function expandVersion(pattern: string): string[] {
  const [before, after] = pattern.split('*');
  if (before === undefined || after === undefined) return [pattern];
  return entries(before)
    .sort((left, right) => right.localeCompare(left, 'en', { numeric: true }))
    .map((name) => join(before, name, after));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function findRedis(folders: readonly string[]): Pick<Binaries, 'redis'> {
  const server = firstExecutable(folders, 'redis-server');
  return server === undefined ? {} : { redis: { server } };
}

/**
 * Debian's program on the PATH is a wrapper that changes user and folder, so only the inner script is
 * accepted.
 */
function findRabbitmq(folders: readonly string[]): Pick<Binaries, 'rabbitmq'> {
  const isInnerScript = (file: string) => basename(realpathSync(file)) === 'rabbitmq-server';
  const server = firstExecutable(folders, 'rabbitmq-server', isInnerScript);
  const erl = firstExecutable(folders, 'erl');
  if (server === undefined || erl === undefined) return {};
  const epmd = firstExecutable([...folders, dirname(realpathSync(erl))], 'epmd');
  if (epmd === undefined) return {};
  return { rabbitmq: { server, control: join(dirname(server), 'rabbitmqctl'), epmd } };
}

/**
 * A machine with only the client has the folder without the server, and both programs must have the same
 * version.
 */
function findPostgres(folders: readonly string[]): Pick<Binaries, 'postgres'> {
  const hasInitdb = (file: string) => isExecutable(join(dirname(realpathSync(file)), 'initdb'));
  const found = firstExecutable(folders, 'postgres', hasInitdb);
  if (found === undefined) return {};
  const server = realpathSync(found);
  return { postgres: { server, initdb: join(dirname(server), 'initdb') } };
}

function findChromium(folders: readonly string[], env: Environment): Pick<Binaries, 'chromium'> {
  const given = env[CATALOGUE.chromium.variable];
  if (given) return { chromium: { path: given } };
  for (const name of CHROMIUM_NAMES) {
    const path = firstExecutable(folders, name);
    if (path !== undefined) return { chromium: { path } };
  }
  return {};
}

export function missingBinaries(needed: readonly WantedName[], found: Binaries): WantedName[] {
  return needed.filter((name) => found[name] === undefined);
}

function firstExecutable(
  folders: readonly string[],
  name: string,
  isFit: (file: string) => boolean = () => true,
): string | undefined {
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => isExecutable(file) && isFit(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
