// Runs apt-get without prompts and without starting daemons. Waits for a concurrent apt-get instead of
// failing. Prints the end of its output only on failure. Finishes in order even if this process is killed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, enumerate, type Log } from '../service-catalogue.ts';

const LOCK_WAIT_MS = 300_000;
const LOCK_PAUSE_MS = 2_000;

/** With an outdated package list the first try fails quickly; the second follows an update. */
export async function aptInstall(
  packages: readonly string[],
  env: Environment,
  log: Log,
): Promise<void> {
  const install = ['install', '-y', '--no-install-recommends', ...policyHooks(), ...packages];
  if ((await hasPackageLists()) && (await runApt(install, env)).isDone) return;
  log('Fetching the list of packages (apt-get update) …');
  await runApt(['update'], env);
  const { isDone, output } = await runApt(install, env);
  if (isDone) return;
  const tail = output.trimEnd().split('\n').slice(-8).join('\n  ');
  throw new Error(
    `apt-get could not install ${enumerate(packages)}; the end of what it said:\n  ${tail}`,
  );
}

async function hasPackageLists(): Promise<boolean> {
  const names = await readdir('/var/lib/apt/lists').catch(() => []);
  return names.some((name) => /_Packages(\.|$)/.test(name));
}

function policyHooks(): string[] {
  const script = fileURLToPath(new URL('./daemon-policy.sh', import.meta.url));
  const hold = `DPkg::Pre-Invoke::=sh '${script}' hold`;
  const release = `DPkg::Post-Invoke::=sh '${script}' release`;
  return ['-o', hold, '-o', release];
}

type Outcome = { isDone: boolean; output: string };

/** apt-get waits for the dpkg lock itself, but not for the lock of its package lists. */
async function runApt(args: readonly string[], env: Environment): Promise<Outcome> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const outcome = await runOnce(args, env);
    const isLocked = !outcome.isDone && outcome.output.includes('Could not get lock');
    if (!isLocked || performance.now() > deadline) return outcome;
    await delay(LOCK_PAUSE_MS);
  }
}

/** In its own process group, so that Ctrl-C does not leave packages half installed. */
async function runOnce(args: readonly string[], env: Environment): Promise<Outcome> {
  const patience = `DPkg::Lock::Timeout=${LOCK_WAIT_MS / 1_000}`;
  const file = openNameless();
  try {
    const child = spawn('apt-get', ['-q', '-o', patience, ...args], {
      detached: true,
      stdio: ['ignore', file, file],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C.UTF-8' },
    });
    const [code] = await once(child, 'close');
    return { isDone: code === 0, output: readFromStart(file) };
  } finally {
    closeSync(file);
  }
}

/** An unlinked file: a pipe would break under dpkg if this process were killed, a named file would remain. */
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-install-'));
  try {
    return openSync(join(folder, 'output'), 'w+');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFromStart(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  readSync(file, bytes, 0, bytes.length, 0);
  return bytes.toString('utf8');
}
