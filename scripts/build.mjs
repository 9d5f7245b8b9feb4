// Builds dist/ for the published package: the sources compiled to JavaScript, because Node runs no TypeScript inside
// node_modules, the SQL files that the compiler does not copy, and the dashboard's pages. SPILLWAY_BUILD=unchecked leaves out
// the check of types, which takes most of the time, for sources that `npm run check` has checked.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root, runtime } from './bootstrap.mjs';

ensureInstalled();
rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const unchecked = process.env.SPILLWAY_BUILD === 'unchecked' ? ['--noCheck'] : [];
/** Code for browsers has its own project, with the types of the DOM instead of Node's. */
const PROJECTS = ['tsconfig.build.json', 'tsconfig.build.browser.json'];
const steps = [
  ...PROJECTS.map((project) => [tsc, '-p', project, ...unchecked]),
  [join(root, 'scripts', 'build-dashboard.mjs')],
];
const passed = await Promise.all(steps.map(passes));
for (const file of readdirSync(join(root, 'src'), { recursive: true }))
  if (file.endsWith('.sql')) cpSync(join(root, 'src', file), join(root, 'dist', file));
process.exitCode = passed.every(Boolean) ? 0 : 1;

async function passes(args) {
  const [code] = await once(spawn(runtime, args, { cwd: root, stdio: 'inherit' }), 'close');
  return code === 0;
}
