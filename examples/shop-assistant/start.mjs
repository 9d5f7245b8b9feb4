// `node examples/shop-assistant/start.mjs`: installs the repository's dependencies if needed and runs the shop on its Node.

import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from '../../scripts/bootstrap.mjs';

ensureInstalled();
process.exitCode = await runPinned([join(root, 'examples/shop-assistant/server/main.ts')]);
