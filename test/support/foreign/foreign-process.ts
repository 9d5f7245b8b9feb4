// A program of an existing system as a child process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type ForeignProcess = {
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  ended(): Promise<void>;
  /** Asks it to stop and waits. */
  stop(): Promise<void>;
};

/** Resolves when the program consumes. */
export async function startForeign(
  program: 'dispatcher' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<ForeignProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${program}.ts`)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(() => {});
  await Promise.race([once(child.stdout, 'data'), ended]);
  if (child.exitCode !== null) throw new Error(`the foreign ${program} ended at once`);
  return {
    kill: (signal) => void child.kill(signal),
    ended: () => ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
