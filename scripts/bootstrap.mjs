// Prepares a fresh clone for running TypeScript: installs the pinned dependencies if they are missing or differ from the
// lockfile, and starts the pinned Node. It runs on Node 20 before the installation, so it uses only the standard
// library. Its messages go to stderr; stdout belongs to the command.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.spillway-installed');
const installLock = join(root, '.spillway-installing');

/** The pinned Node, installed by npm. */
export const runtime = join(
  modules,
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** Node's compile cache of the sources. */
export const compileCache = join(modules, '.cache', 'spillway');

/**
 * Installs the versions of the lockfile without rewriting it. `npm ci` requires the optional packages of every platform,
 * which a registry mirror may not have.
 */
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund'];

/** Installs if needed; the check costs two file reads. */
export function ensureInstalled() {
  const wanted = lockfileDigest();
  if (isInstalled(wanted)) return;
  const release = takeInstallLock();
  try {
    if (isInstalled(wanted)) return;
    say('Installing dependencies, once …');
    const result = spawnSync(npm().command, [...npm().args, ...INSTALL], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (result.error || result.status !== 0) fail(result);
    recordInstalled();
    spawnSync(runtime, [join(root, 'scripts', 'warm-up.mjs')], { stdio: 'ignore' });
    say('Installed.');
  } finally {
    release();
  }
}

/** Records the lockfile that node_modules was installed from. */
export function recordInstalled() {
  writeFileSync(stamp, lockfileDigest());
}

/** Whether this process already runs on the pinned Node. */
export function isPinnedRuntime() {
  try {
    const { version } = JSON.parse(readFileSync(join(modules, 'node', 'package.json'), 'utf8'));
    return process.versions.node === version;
  } catch {
    return false;
  }
}

/** Runs the pinned Node in the foreground, forwards signals and resolves to the exit code. */
export function runPinned(args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(runtime, args, { stdio: 'inherit', env });
    const forward = (signal) => child.kill(signal);
    // A terminal sends Ctrl-C to the whole process group, so the child gets it as well; this process has to outlive the
    // child.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', forward);
    process.on('SIGHUP', forward);
    child.on('error', (error) => {
      say(`Could not start ${runtime}: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(signal ? 128 + signalNumber(signal) : (code ?? 1)));
  });
}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

function lockfileDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function isInstalled(wanted) {
  if (!existsSync(runtime)) return false;
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** The running npm, if npm started this process; else the one on the path. */
function npm() {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('npm-cli.js')) return { command: process.execPath, args: [cli] };
  return { command: 'npm', args: [] };
}

/** Two concurrent first starts must not run npm at the same time: the second waits for the first. */
function takeInstallLock() {
  for (let waited = 0; ; waited += 1) {
    try {
      mkdirSync(installLock);
      writeFileSync(join(installLock, 'pid'), String(process.pid));
      return () => rmSync(installLock, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') fail({ error });
      if (waited === 0) say('Another process is installing; waiting for it …');
      if (isStaleLock()) rmSync(installLock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
  }
}

function isStaleLock() {
  try {
    process.kill(Number(readFileSync(join(installLock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function fail(result) {
  const detail = result.error?.message ?? lastLines(result.stderr);
  say(`Could not install the dependencies: ${detail}`);
  say('Check that npm can reach its registry, then run the same command again.');
  rmSync(installLock, { recursive: true, force: true });
  process.exit(1);
}

function lastLines(text) {
  return (text ?? '')
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .slice(0, 3)
    .join(' ');
}

function signalNumber(signal) {
  return { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 0;
}
