#!/usr/bin/env node
// The `spillway` command. In a checkout it installs missing dependencies and runs the sources on the pinned Node; in the
// published package it runs the compiled code.

import { executionAsyncResource } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

restartWithMemorySettings();
keepTickShape();
collectOldObjectsRarely();

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(home, 'src', 'cli', 'main.ts');

// With the compile cache the sources load in half the time and the type stripper is not loaded. Node 20 has no compile
// cache; it only starts the pinned Node.
nodeModule.enableCompileCache?.(join(home, 'node_modules', '.cache', 'spillway'));

if (existsSync(source)) {
  const { ensureInstalled, isPinnedRuntime, runPinned } = await import('../scripts/bootstrap.mjs');
  ensureInstalled();
  if (isPinnedRuntime()) {
    if (servesPages(process.argv[2])) {
      const { ensureDashboard } = await import('../scripts/ensure-dashboard.mjs');
      ensureDashboard();
    }
    await import('../src/cli/main.ts');
  } else
    process.exitCode = await runPinned([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
} else if (isOlderThan(24, 16)) {
  process.stderr.write(`Spillway needs Node 24.16 or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  await import('../dist/cli/main.js');
}

/**
 * Configures V8's heap and glibc's allocator, which read their settings only at the start of a process. `execve` replaces the program
 * and keeps the process id, the streams and the arguments.
 *
 * - A young generation of twice the default size is collected half as often; by then most requests have ended, and their objects are
 *   garbage that costs nothing.
 * - V8's memory reducer runs while a server has few requests. It drops the shapes of objects that no request uses at that moment, and
 *   with them compiled code: the first content of a stream then takes 0.4 ms instead of 0.25. src/cli/release-memory.ts does its work
 *   when the server is idle.
 * - With a fixed mmap threshold every buffer of 32 KiB or more is mapped on its own and returns to the system when it is freed. By
 *   default the threshold grows with every large buffer that is freed, and thousands of reads fragment the heap permanently: 300 fast
 *   streams left 118 MiB instead of 17. One arena for all threads instead of one per thread takes 3 MiB less.
 */
function restartWithMemorySettings() {
  // A replaced process would lose the channel to a parent that forked it, and the timer of V8's CPU profiler would kill it.
  if (process.platform !== 'linux' || !process.execve || process.send) return;
  if (process.execArgv.some((option) => option.startsWith('--cpu-prof'))) return;
  if (!runsServer(process.argv[2]) || process.env.MALLOC_MMAP_THRESHOLD_ !== undefined) return;
  const settings = {
    MALLOC_MMAP_THRESHOLD_: '32768',
    MALLOC_TRIM_THRESHOLD_: '4194304',
    MALLOC_ARENA_MAX: '1',
  };
  const flags = ['--max-semi-space-size=32', '--no-memory-reducer', ...process.execArgv];
  const args = [process.execPath, ...flags, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...process.env, ...settings });
}

/**
 * Keeps `process.nextTick` fast for the life of the process. V8 refers weakly to the shape of the object that each tick
 * allocates; a full collection at a moment without a tick drops that shape, and from then on every tick takes V8's slow path:
 * 0.4 µs instead of 0.08. One retained tick object keeps the shape.
 */
function keepTickShape() {
  let kept;
  process.nextTick(() => (kept = executionAsyncResource()));
  // The listener's reference lasts as long as the process.
  process.once('exit', () => kept);
}

/**
 * Lets the old generation grow to three times its size before V8 marks it again. By default V8 begins to mark when the
 * free space equals the young generation: on a busy server every second, although only a tenth of the heap has become garbage.
 * src/cli/release-memory.ts returns the memory when the load has ended.
 */
function collectOldObjectsRarely() {
  if (runsServer(process.argv[2])) setFlagsFromString('--heap-growing-percent=200');
}

/** `serve` is the default command. */
function runsServer(command) {
  return servesPages(command) || /^(?:dispatcher|worker)$/.test(command);
}

function servesPages(command) {
  return command === undefined || command.startsWith('-') || /^(?:serve|gateway)$/.test(command);
}

function isOlderThan(major, minor) {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}
