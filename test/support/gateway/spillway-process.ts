// Spillway as a child process, driven over HTTP and signals.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const COMMAND = join(root, 'bin', 'spillway.mjs');
const READY = /^(?:Spillway|The \w+) is ready(?: on (\S+))?$/m;

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type SpillwayProcess = {
  readonly pid: number;
  /** The output so far. */
  output(): string;
  errors(): string;
  /** The URL from the ready line, empty without an HTTP server; rejects if the process ends before that. */
  ready(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended(): Promise<Ended>;
};

/** Passes only the given environment, so that a developer's own keys cannot leak into a test. */
export function runSpillway(
  args: readonly string[],
  env: Record<string, string> = {},
): SpillwayProcess {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watch(child);
}

/** Runs a command to its end. */
export async function finishSpillway(args: readonly string[], env: Record<string, string> = {}) {
  const spillway = runSpillway(args, env);
  const { code, signal } = await spillway.ended();
  return { code, signal, output: spillway.output(), errors: spillway.errors() };
}

function watch(child: ChildProcess): SpillwayProcess {
  let output = '';
  let errors = '';
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  const ready = Promise.withResolvers<string>();
  ready.promise.catch(() => {});
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const said = READY.exec(output);
    if (said) ready.resolve(said[1] ?? '');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  void ended.then(({ code }) =>
    ready.reject(new Error(`the process ended with ${code}: ${errors}`)),
  );
  return {
    pid: child.pid ?? 0,
    output: () => output,
    errors: () => errors,
    ready: () => ready.promise,
    kill: (signal) => void child.kill(signal),
    ended: () => ended,
  };
}
