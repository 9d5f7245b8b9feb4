// `npm test`: installs missing dependencies, starts the services, runs every test, stops the services. It runs on Node
// 20 and starts the pinned Node. `npm test -- src/jobs` runs only the tests of that path.

import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from './bootstrap.mjs';

ensureInstalled();
const runner = join(root, 'test', 'support', 'run-tests.ts');
process.exitCode = await runPinned([runner, `--parent=${process.pid}`, ...process.argv.slice(2)]);
