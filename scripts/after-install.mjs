// Runs after every install in a checkout (npm's `prepare`). Makes `npx spillway` work there (npm links the
// commands of dependencies, not the package's own) and records the digest of the installed lockfile.

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { recordInstalled, root } from './bootstrap.mjs';

const modules = join(root, 'node_modules');

if (existsSync(modules)) {
  linkCommand();
  recordInstalled();
}

function linkCommand() {
  if (process.platform === 'win32') return;
  const link = join(modules, '.bin', 'spillway');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'bin', 'spillway.mjs'), link);
}
