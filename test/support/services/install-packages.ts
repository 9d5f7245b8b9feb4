// Installs what is missing, on Debian as root, without letting a daemon start: not by the installation, not
// at the next boot. Afterwards looks whether one came up all the same, and ends it, since nobody but the
// installation can have started a program that was not on the machine before. Touches nothing that ran.

import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FOLDER_PREFIX } from './private-run.ts';
import { listProcesses, type ProcessEntry, sendSignal, workingFolder } from './process-table.ts';
import {
  CATALOGUE,
  type Environment,
  enumerate,
  type Log,
  type WantedName,
} from './service-catalogue.ts';

/** Why nothing can be installed here, or undefined when it can. */
export function installObstacle(env: Environment): string | undefined {
  if (env['SPILLWAY_NO_INSTALL'] === '1') return 'SPILLWAY_NO_INSTALL=1 forbids installing';
  if (!isDebian()) return 'only on Debian can they be installed for you';
  if (process.getuid?.() !== 0) return 'installing needs root';
  return undefined;
}

export async function installPackages(
  missing: readonly WantedName[],
  env: Environment,
  log: Log,
): Promise<void> {
  const packages = missing.map((name) => CATALOGUE[name].debianPackage);
  log(`Installing ${enumerate(packages)} (apt-get); their daemons are kept from starting …`);
  const folder = await mkdtemp(join(tmpdir(), 'spillway-install-'));
  const running = new Set(listProcesses().map(({ pid }) => pid));
  try {
    await aptInstall(packages, join(folder, 'apt.log'), env, log);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await disableAtBoot(missing, env);
  endStartedDaemons(missing, running, log);
  log(`Installed ${enumerate(packages)}.`);
}

function isDebian(): boolean {
  try {
    return /^ID(_LIKE)?=.*\bdebian\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

/** With an empty or outdated list of packages the first try fails at once, and the second has a new one. */
async function aptInstall(
  packages: string[],
  logFile: string,
  env: Environment,
  log: Log,
): Promise<void> {
  const install = ['install', '-y', '--no-install-recommends', ...policyHooks(), ...packages];
  const hasLists = (await readdir('/var/lib/apt/lists').catch(() => [])).some(
    (name) => name.endsWith('_Packages') || name.includes('_Packages.'),
  );
  if (hasLists && (await runApt(install, logFile, env)) === 0) return;
  log('Fetching the list of packages (apt-get update) …');
  await runApt(['update'], logFile, env);
  if ((await runApt(install, logFile, env)) === 0) return;
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n  ');
  throw new Error(
    `apt-get could not install ${enumerate(packages)}; the end of what it said:\n  ${tail}`,
  );
}

function policyHooks(): string[] {
  const script = fileURLToPath(new URL('./daemon-policy.sh', import.meta.url));
  const hook = (when: string, verb: string) => [
    '-o',
    `DPkg::${when}-Invoke::=sh '${script}' ${verb}`,
  ];
  return [...hook('Pre', 'hold'), ...hook('Post', 'release')];
}

/** In a group of its own, so that a Ctrl-C does not leave packages half installed. */
async function runApt(args: string[], logFile: string, env: Environment): Promise<number> {
  const output = openSync(logFile, 'a');
  const options: SpawnOptions = {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C.UTF-8' },
  };
  const child = spawn('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], options);
  closeSync(output);
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
}

/** Best effort: a machine without an init system has nothing to disable. */
async function disableAtBoot(installed: readonly WantedName[], env: Environment): Promise<void> {
  for (const name of installed.flatMap((wanted) => CATALOGUE[wanted].daemons)) {
    const child = spawn('update-rc.d', [name, 'disable'], { stdio: 'ignore', env: { ...env } });
    await once(child, 'close').catch(() => undefined);
  }
}

function endStartedDaemons(
  installed: readonly WantedName[],
  running: ReadonlySet<number>,
  log: Log,
): void {
  const commands = installed.flatMap((name) => CATALOGUE[name].daemonCommands);
  const isPrivate = ({ pid }: ProcessEntry) => workingFolder(pid)?.includes(FOLDER_PREFIX) ?? false;
  const started = listProcesses().filter(
    (entry) => commands.includes(entry.command) && !running.has(entry.pid) && !isPrivate(entry),
  );
  for (const { pid, command } of started) {
    log(`The installation started ${command} (${pid}) all the same; ending it.`);
    sendSignal(pid, 'SIGTERM');
  }
}
