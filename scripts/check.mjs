// `npm run check`: format, lint, types; or one of them by name. Prints the failed checks and exits with 1.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, root, runtime, say } from './bootstrap.mjs';

const modules = join(root, 'node_modules');
const CHECKS = {
  format: [join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '.'],
  lint: [join(modules, 'oxlint', 'bin', 'oxlint'), '--type-aware', '--deny-warnings'],
  typecheck: [join(modules, 'typescript', 'bin', 'tsc'), '--noEmit'],
};

ensureInstalled();
const [only] = process.argv.slice(2);
const names = only === undefined ? Object.keys(CHECKS) : [only];
const failed = names.filter((name) => {
  const { status } = spawnSync(runtime, CHECKS[name], { cwd: root, stdio: 'inherit' });
  return status !== 0;
});
if (failed.length > 0) say(`Failed: ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;
