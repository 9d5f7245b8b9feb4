// `npm run services`: runs Redis, RabbitMQ and PostgreSQL for development until Ctrl-C. It only starts the pinned Node;
// test/support/services/main.ts does the work. Runs on Node 20.

import { join } from 'node:path';
import { ensureInstalled, isPinnedRuntime, root, runPinned } from './bootstrap.mjs';

ensureInstalled();
if (isPinnedRuntime()) {
  await import('../test/support/services/main.ts');
} else {
  const program = join(root, 'test', 'support', 'services', 'main.ts');
  // With the parent's id the child can stop the services even if this process is killed.
  process.exitCode = await runPinned([program, `--parent=${process.pid}`]);
}
