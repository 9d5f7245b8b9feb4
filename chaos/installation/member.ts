// One process of the installation: a gateway, dispatcher or worker with a port and data folder that survive its
// restarts. It restarts a process that exits unexpectedly, as a supervisor would; a process killed by the row stays
// down until the row starts it.
// States: down → (start) up → (kill, stop) down; up ⇄ frozen; up → (unexpected exit) restarting → up.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../bin/spillway.mjs', import.meta.url));
const ASK_EVERY_MS = 100;
const RESTART_AFTER_MS = 500;

export type MemberPlan = {
  readonly name: string;
  readonly args: readonly string[];
  readonly port: number;
  /** The working folder; data and log are in a subfolder with the member's name. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program to run; by default the command line. */
  readonly program?: URL | undefined;
};

export class Member {
  readonly name: string;
  readonly url: string;
  /** Number of exits not caused by the row. */
  unexpectedExits = 0;
  readonly #plan: MemberPlan;
  readonly #dataDir: string;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(plan: MemberPlan) {
    this.name = plan.name;
    this.url = `http://127.0.0.1:${plan.port}`;
    this.#plan = plan;
    this.#dataDir = join(plan.folder, plan.name);
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#spawn();
  }

  /** Sends SIGKILL by process id; resolves when the process has exited. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Sends SIGTERM; resolves when the process has exited. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** The end of the process's log, for the message of a failed start. */
  logTail(): string {
    return readFileSync(this.#logFile, 'utf8')
      .trim()
      .split('\n')
      .slice(-5)
      .join('\n')
      .slice(-1_000);
  }

  async untilReady(signal: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await fetch(`${this.url}/health/ready`, { signal }).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 200) return;
      await sleep(ASK_EVERY_MS, undefined, { signal });
    }
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  #spawn(): void {
    mkdirSync(this.#dataDir, { recursive: true });
    const log = openSync(this.#logFile, 'a');
    const { program, args } = this.#plan;
    const main = program ? fileURLToPath(program) : MAIN;
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.#plan.folder,
      env: {
        ...this.#plan.env,
        PORT: String(this.#plan.port),
        SERVER_ID: this.name,
        SPILLWAY_DATA_DIR: this.#dataDir,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    // A last resort, in case this process ends without stopping its members.
    const atExit = () => child.kill('SIGKILL');
    process.once('exit', atExit);
    child.once('exit', () => {
      process.off('exit', atExit);
      if (this.#isWanted) this.#restartSoon();
    });
  }

  get #logFile(): string {
    return join(this.#plan.folder, `${this.name}.log`);
  }

  #restartSoon(): void {
    this.unexpectedExits += 1;
    setTimeout(() => {
      if (this.#isWanted) this.#spawn();
    }, RESTART_AFTER_MS).unref();
  }
}
