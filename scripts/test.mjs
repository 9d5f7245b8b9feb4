// `npm test`: installs what is missing, brings up the services, runs every test, brings down what it started.
// Runs on Node 20 until the pinned Node is there. `npm test -- src/jobs` runs only what is named.

import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from './bootstrap.mjs';

ensureInstalled();
const runner = join(root, 'test', 'support', 'run-tests.ts');
process.exitCode = await runPinned([runner, `--parent=${process.pid}`, ...process.argv.slice(2)]);
