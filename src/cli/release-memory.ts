// Loading some hundred modules leaves a heap twice as large as the server needs. One thorough collection
// once it listens gives that memory back to the machine; V8 by itself would keep it until it is pressed.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
