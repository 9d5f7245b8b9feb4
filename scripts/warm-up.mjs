// Loads every module of the server once to fill the compile cache. The pinned Node runs it after an install; without it
// the first start is slower and uses more memory.

import nodeModule from 'node:module';
import { join } from 'node:path';
import { compileCache, root } from './bootstrap.mjs';

nodeModule.enableCompileCache(compileCache);
await import(join(root, 'src/cli/commands.ts'));
await import(join(root, 'src/cli/run-server.ts'));
nodeModule.flushCompileCache();
