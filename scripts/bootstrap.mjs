// Brings a fresh clone to the point where TypeScript can run: installs the pinned dependencies when they
// are missing or not those of the lockfile, and starts the pinned Node. Runs on Node 20, before anything
// is installed, so it uses the standard library alone. Says what it does on stderr; stdout is the command's.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.spillway-installed');
const installLock = join(root, '.spillway-installing');

/** The Node that package.json pins, as npm installed it. */
export const runtime = join(
  modules,
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** Where Node keeps what it compiled of our sources. */
export const compileCache = join(modules, '.cache', 'spillway');

/**
 * The lockfile's versions, without writing it anew. Not `npm ci`: it demands an entry for every platform's
 * optional package, and a registry mirror need not have them all.
 */
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund'];

/** Installs when needed; quick (two file reads) when nothing is. */
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
    noteInstalled();
    spawnSync(runtime, [join(root, 'scripts', 'warm-up.mjs')], { stdio: 'ignore' });
    say('Installed.');
  } finally {
    release();
  }
}

/** Remembers which lockfile node_modules was made from. */
export function noteInstalled() {
  writeFileSync(stamp, lockfileDigest());
}

/** True when this very process is the pinned Node, so that no second one need be started. */
export function isPinnedRuntime() {
  try {
    const { version } = JSON.parse(readFileSync(join(modules, 'node', 'package.json'), 'utf8'));
    return process.versions.node === version;
  } catch {
    return false;
  }
}

/** Runs the pinned Node in the foreground; signals are passed on; resolves to the exit code. */
export function runPinned(args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(runtime, args, { stdio: 'inherit', env });
    const forward = (signal) => child.kill(signal);
    // A terminal sends Ctrl-C to the whole group, so the child has it already: just outlive it.
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

/** npm run from npm tells where it is; else the one on the path. */
function npm() {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('npm-cli.js')) return { command: process.execPath, args: [cli] };
  return { command: 'npm', args: [] };
}

/** Two first starts at once must not run npm over each other: the second waits for the first. */
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
