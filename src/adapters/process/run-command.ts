// Runs a program with arguments, without a shell, with JSON on its standard input and a time limit. Rejects with the exit
// code and the end of its standard error.

import { spawn } from 'node:child_process';

export type CommandRun = {
  /** The program and its arguments; not empty. */
  readonly command: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

const MAX_ERROR_CHARACTERS = 500;

export function runCommand({ command, input, timeoutMs, signal }: CommandRun): Promise<void> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: timeoutMs,
      signal,
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve();
      const how = code === null ? `was ended by ${killedBy}` : `exited with code ${code}`;
      reject(new Error(`${program} ${how}${errors === '' ? '' : `: ${errors.trim()}`}`));
    });
    // A program that ignores its input closes the pipe; that is not a failure.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
