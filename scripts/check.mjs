// `npm run check`: format, lint, types; or one of them by name. Prints the failed checks and exits with 1.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root, runtime, say } from './bootstrap.mjs';

const modules = join(root, 'node_modules');
const tsc = join(modules, 'typescript', 'bin', 'tsc');
/** Code for browsers has its own configuration, with the types of the DOM instead of Node's. */
const PROJECTS = [
  '.',
  'src/dashboard/web',
  'src/client',
  'src/react',
  'examples/shop-assistant/page',
].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
const CHECKS = {
  format: [[join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '.']],
  lint: [[join(modules, 'oxlint', 'bin', 'oxlint'), '--type-aware', '--deny-warnings']],
  typecheck: PROJECTS.map(typeCheck),
};

ensureInstalled();
const [only] = process.argv.slice(2);
const names = only === undefined ? Object.keys(CHECKS) : [only];
const failed = names.filter((name) => !CHECKS[name].every(passes));
if (failed.length > 0) say(`Failed: ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

function passes(args) {
  const { status } = spawnSync(runtime, args, { cwd: root, stdio: 'inherit' });
  return status === 0;
}

/** Incremental: a second check reads only what has changed, in a tenth of the time. */
function typeCheck(folder) {
  const info = join(modules, '.cache', `types-${folder.replaceAll('/', '-')}.tsbuildinfo`);
  const project = ['-p', join(root, folder)];
  return [tsc, '--noEmit', ...project, '--incremental', '--tsBuildInfoFile', info];
}
