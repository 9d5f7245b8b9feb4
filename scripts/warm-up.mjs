// Loads every module of the server once, so that what the first start compiles is there already. Run by the
// pinned Node after an install; without it the first start is only slower and larger.

import nodeModule from 'node:module';
import { join } from 'node:path';
import { compileCache, root } from './bootstrap.mjs';

nodeModule.enableCompileCache(compileCache);
await import(join(root, 'src/cli/commands.ts'));
await import(join(root, 'src/cli/run-server.ts'));
nodeModule.flushCompileCache();
