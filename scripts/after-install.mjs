// Runs after every install in a checkout (npm's `prepare`). Makes `npx spillway` work there (npm links the
// commands of dependencies, not the package's own) and notes which lockfile was installed.

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { noteInstalled, root } from './bootstrap.mjs';

const modules = join(root, 'node_modules');

if (existsSync(modules)) {
  linkCommand();
  noteInstalled();
}

function linkCommand() {
  if (process.platform === 'win32') return;
  const link = join(modules, '.bin', 'spillway');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'bin', 'spillway.mjs'), link);
}
