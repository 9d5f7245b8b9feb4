// Ends one child process by its id and waits for its exit: SIGTERM first, SIGKILL after a grace period. Safe to call
// for a process that has exited.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const PATIENCE_MS = 10_000;

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await gone;
  clearTimeout(timer);
}
