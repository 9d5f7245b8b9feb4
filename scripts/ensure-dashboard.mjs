// Builds the dashboard before a server starts from a checkout, if it was never built or its sources have changed. The
// gateway runs without it, so a failed build is reported and does not stop the start.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runtime, say } from './bootstrap.mjs';
import { DASHBOARD_TARGET, dashboardDigest, STAMP } from './dashboard-digest.mjs';

export function ensureDashboard() {
  if (builtDigest() === dashboardDigest()) return;
  say('Building the dashboard …');
  const { status, stderr } = buildDashboard();
  if (status === 0) return;
  say(`The dashboard could not be built: ${(stderr ?? '').trim().split('\n').at(-1)}`);
  say('The server starts without it. Run node scripts/build-dashboard.mjs to see why.');
}

/** `stdio` is passed to the build. */
function buildDashboard(stdio = 'pipe') {
  const program = join(root, 'scripts', 'build-dashboard.mjs');
  return spawnSync(runtime, [program], { cwd: root, stdio, encoding: 'utf8' });
}

function builtDigest() {
  try {
    return readFileSync(join(root, DASHBOARD_TARGET, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

// As a program: for tests, which need the pages before their first request.
if (process.argv[1] === fileURLToPath(import.meta.url)) ensureDashboard();
