// Installs missing packages on Debian as root without starting their daemons, neither now nor at boot. If a
// daemon starts anyway, it is ended: only this installation can have started a program that was absent
// before. Processes that were running before are left alone.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { FOLDER_PREFIX } from '../servers/private-run.ts';
import {
  listProcesses,
  type ProcessEntry,
  sendSignal,
  workingFolder,
} from '../servers/process-table.ts';
import {
  CATALOGUE,
  type Environment,
  enumerate,
  type Log,
  type WantedName,
} from '../service-catalogue.ts';
import { aptInstall } from './apt-get.ts';

/** Why packages cannot be installed here, or undefined if they can. */
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
  const running = new Set(listProcesses().map(({ pid }) => pid));
  await aptInstall(packages, env, log);
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
    log(`The installation started ${command} (${pid}) anyway; ending it.`);
    sendSignal(pid, 'SIGTERM');
  }
}
