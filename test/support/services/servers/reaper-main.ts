// The reaper's program: `node reaper-main.ts <folder>`; standard input names the processes to end. States:
// watching → (done) exited; watching → (the pipe closes without `done`) tearing down → exited.

import { createInterface } from 'node:readline';
import { tearDown } from './tear-down.ts';

const folder = process.argv[2];
if (!folder) throw new Error('usage: reaper-main.ts <folder>');

// Only the closed pipe counts: the reaper must outlive every signal that ends its owner.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const roots = new Map<number, NodeJS.Signals>();
let isDone = false;
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid, signal] = line.split(' ');
  if (verb === 'done') isDone = true;
  if (verb === 'watch') roots.set(Number(pid), signal === 'SIGQUIT' ? 'SIGQUIT' : 'SIGKILL');
  if (verb === 'forget') roots.delete(Number(pid));
}
if (!isDone) await tearDown(folder, roots);
