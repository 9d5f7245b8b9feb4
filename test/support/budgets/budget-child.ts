// Starts a process that spends a budget (test/contract/budget-crash-child.ts) and reads its output.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../contract/budget-crash-child.ts', import.meta.url));

export type BudgetChild = {
  /** The ids printed after a word: `reserved`, `used` or `refused`. */
  said(word: string): ReadonlySet<string>;
  /** Resolves when `count` lines with this word were printed, `done` and `ready` included. */
  until(word: string, count?: number): Promise<void>;
  /** SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
};

export function startBudgetChild(...args: readonly (string | number)[]): BudgetChild {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const said = new Map<string, Set<string>>();
  const waiting = new Set<() => void>();
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word = '', id = ''] = line.split(' ');
      said.set(word, (said.get(word) ?? new Set()).add(id));
      for (const look of waiting) look();
    });

  return {
    said: (word) => said.get(word) ?? new Set(),
    until: (word, count = 1) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if ((said.get(word)?.size ?? 0) < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void gone.then(() => reject(new Error(`the process exited before it printed ${word}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
