// The belt to the braces of `close`: a small detached process that holds one end of a pipe to this one and
// is told of every server started. When the pipe closes without a word (this process was killed, crashed
// or exited in a hurry) it tears everything down. If the reaper itself is killed, `close` still works.

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
    // A reaper that was killed must not take its owner with it through a broken pipe.
    this.#process.stdin?.on('error', ignore);
  }

  get roots(): Roots {
    return this.#roots;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** From now on this process and all it starts end with us; `endSignal` is how it is asked to. */
  watch(pid: number, endSignal: NodeJS.Signals): void {
    this.#roots.set(pid, endSignal);
    this.#tell(`watch ${pid} ${endSignal}`);
  }

  /** The process has ended: its id may soon be somebody else's. */
  forget(pid: number): void {
    if (this.#roots.delete(pid)) this.#tell(`forget ${pid}`);
  }

  /** Everything has been torn down here: nothing is left to do. Waits for the reaper to be gone. */
  async dismiss(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.ref();
    this.#process.stdin?.end('done\n');
    await exited;
  }

  #tell(line: string): void {
    if (this.#process.stdin?.writable) this.#process.stdin.write(`${line}\n`);
  }
}

function ignore(): void {}
