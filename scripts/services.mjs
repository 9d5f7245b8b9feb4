// `npm run services`: real Redis, RabbitMQ and PostgreSQL for a person to develop against, until Ctrl-C.
// Only gets as far as the pinned Node; the work is done in test/support/services/main.ts. Runs on Node 20.

import { join } from 'node:path';
import { ensureInstalled, isPinnedRuntime, root, runPinned } from './bootstrap.mjs';

ensureInstalled();
if (isPinnedRuntime()) {
  await import('../test/support/services/main.ts');
} else {
  const program = join(root, 'test', 'support', 'services', 'main.ts');
  // Told whose child it is, so that it brings the services down even when this process is killed.
  process.exitCode = await runPinned([program, `--parent=${process.pid}`]);
}
