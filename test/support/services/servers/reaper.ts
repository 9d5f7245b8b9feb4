// The safety net of `close`: a small detached process with one end of a pipe to this process. It knows every
// started server, and tears all of them down if the pipe closes without `done` (this process was killed or
// crashed). If the reaper itself is killed, `close` still works.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Roots } from './tear-down.ts';

export class Reaper {
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #roots = new Map<number, NodeJS.Signals>();

  constructor(folder: string) {
    this.folder = folder;
    const program = fileURLToPath(new URL('./reaper-main.ts', import.meta.url));
    this.#process = spawn(process.execPath, [program, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: process.env['PATH'] },
    });
    this.#process.unref();
    this.#process.on('error', ignore);
    // A killed reaper must not end its owner through a broken pipe.
    this.#process.stdin?.on('error', ignore);
  }

  get roots(): Roots {
    return this.#roots;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Registers a process: it and its descendants end with this one, by `endSignal`. */
  watch(pid: number, endSignal: NodeJS.Signals): void {
    this.#roots.set(pid, endSignal);
    this.#send(`watch ${pid} ${endSignal}`);
  }

  /** The process has ended and its id may be reused. */
  forget(pid: number): void {
    if (this.#roots.delete(pid)) this.#send(`forget ${pid}`);
  }

  /** Everything is already torn down. Waits for the reaper to exit. */
  async dismiss(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.ref();
    this.#process.stdin?.end('done\n');
    await exited;
  }

  #send(line: string): void {
    if (this.#process.stdin?.writable) this.#process.stdin.write(`${line}\n`);
  }
}

function ignore(): void {}
