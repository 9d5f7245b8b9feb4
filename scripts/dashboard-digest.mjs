// The digest of the dashboard's sources, which the build stores with its result. A start of the server compares the two; that
// costs some milliseconds. Tests do not count.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

export const DASHBOARD_SOURCES = join('src', 'dashboard', 'web');
export const DASHBOARD_TARGET = join('dist', 'dashboard', 'web');
export const STAMP = '.sources';

export function dashboardDigest() {
  const folder = join(root, DASHBOARD_SOURCES);
  const hash = createHash('sha256');
  // The libraries in the bundle have the versions of the lockfile.
  hash.update(readFileSync(join(root, 'package-lock.json')));
  hash.update(readFileSync(join(root, 'scripts', 'build-dashboard.mjs')));
  // The pages contain the runbook.
  hash.update(readFileSync(join(root, 'docs', 'runbook.md')));
  for (const file of sourceFiles(folder)) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex');
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
