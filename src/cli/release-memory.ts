// Loading several hundred modules leaves a heap twice as large as the server needs. One full garbage collection after
// the start returns that memory to the system; V8 would keep it until memory is short.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
