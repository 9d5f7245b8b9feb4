// Builds dist/ for the published package: the sources compiled to JavaScript, because Node runs no TypeScript inside
// node_modules, and the SQL files that the compiler does not copy.

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root, runtime } from './bootstrap.mjs';

ensureInstalled();
rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(runtime, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const file of readdirSync(join(root, 'src'), { recursive: true }))
  if (file.endsWith('.sql')) cpSync(join(root, 'src', file), join(root, 'dist', file));
process.exitCode = status ?? 1;
