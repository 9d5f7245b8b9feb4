// What the published package carries: the sources compiled to JavaScript, because Node runs no TypeScript
// inside node_modules.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root, runtime } from './bootstrap.mjs';

ensureInstalled();
rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(runtime, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
