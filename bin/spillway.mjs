#!/usr/bin/env node
// The `spillway` command. In a checkout it installs missing dependencies and runs the sources on the pinned Node; in the
// published package it runs the compiled code.

import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(home, 'src', 'cli', 'main.ts');

// With the compile cache the sources load in half the time and the type stripper is not loaded. Node 20 has no compile
// cache; it only starts the pinned Node.
nodeModule.enableCompileCache?.(join(home, 'node_modules', '.cache', 'spillway'));

if (existsSync(source)) {
  const { ensureInstalled, isPinnedRuntime, runPinned } = await import('../scripts/bootstrap.mjs');
  ensureInstalled();
  if (isPinnedRuntime()) await import('../src/cli/main.ts');
  else
    process.exitCode = await runPinned([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
} else if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`Spillway needs Node 24 or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  await import('../dist/cli/main.js');
}
