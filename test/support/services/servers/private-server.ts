// The lifecycle of a private server, independent of Redis, RabbitMQ or PostgreSQL: those details are in the
// plan. States: down → (start) up → (kill, stop) down; up ⇄ frozen. Every process it starts has its own
// process group (Ctrl-C in the terminal does not reach it), works in the plan's folder, and is registered
// with the reaper.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, ServerPlan } from '../plans/server-plan.ts';
import type { ServiceHandle } from '../service-handle.ts';
import { membersOf, type ProcessEntry, sendSignal, waitUntil } from './process-table.ts';
import type { Reaper } from './reaper.ts';
import { killMembers } from './tear-down.ts';

const READY_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 30_000;
const PROBE_PAUSE_MS = 50;

export class PrivateServer implements ServiceHandle {
  readonly isPrivate = true;
  readonly #plan: ServerPlan;
  readonly #reaper: Reaper;
  #child: ChildProcess | undefined;

  constructor(plan: ServerPlan, reaper: Reaper) {
    this.#plan = plan;
    this.#reaper = reaper;
  }

  get title(): string {
    return this.#plan.title;
  }

  get url(): string {
    return this.#plan.url;
  }

  get pid(): number | undefined {
    const { mainCommand } = this.#plan;
    const members = this.#members();
    const isMain = ({ pid, command }: ProcessEntry) =>
      mainCommand === undefined ? pid === this.#child?.pid : command === mainCommand;
    return members.find(isMain)?.pid;
  }

  /** Creates the data and starts the server; resolves when it answers. */
  async create(signal?: AbortSignal): Promise<void> {
    await this.#plan.prepare((command) => this.#runToEnd(command, signal));
    signal?.throwIfAborted();
    await this.#start(signal);
  }

  ping(): Promise<void> {
    return this.#plan.probe();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (signal === 'SIGKILL') return killMembers(this.#roots(), this.#plan.folder);
    const pid = this.pid;
    if (pid !== undefined) sendSignal(pid, signal);
  }

  async stop(): Promise<void> {
    const pid = this.pid;
    if (pid !== undefined) sendSignal(pid, this.#plan.stopSignal);
    await this.thaw();
    await waitUntil(() => this.#members().length === 0, STOP_DEADLINE_MS);
    await this.kill();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  async wipe(): Promise<void> {
    await this.kill();
    await this.#plan.clear();
    await this.create();
  }

  /**
   * The main process first, so that it cannot fork meanwhile; then repeatedly until every process is stopped.
   */
  async freeze(): Promise<void> {
    const main = this.pid;
    if (main === undefined) throw new Error(`${this.title} is down and cannot be frozen`);
    sendSignal(main, 'SIGSTOP');
    const isComplete = () => {
      const awake = this.#members().filter(({ isStopped }) => !isStopped);
      for (const { pid } of awake) sendSignal(pid, 'SIGSTOP');
      return awake.length === 0;
    };
    if (!(await waitUntil(isComplete, STOP_DEADLINE_MS)))
      throw new Error(`${this.title} could not be frozen`);
  }

  thaw(): Promise<void> {
    for (const { pid } of this.#members()) sendSignal(pid, 'SIGCONT');
    return Promise.resolve();
  }

  async #start(signal?: AbortSignal): Promise<void> {
    const child = this.#spawn(this.#plan.command());
    this.#child = child;
    const failure = endOf(child);
    const deadline = performance.now() + READY_DEADLINE_MS;
    while (!(await this.#isReady())) {
      signal?.throwIfAborted();
      const reason = failure() ?? (performance.now() > deadline ? 'did not answer in time' : '');
      if (reason !== '') throw await this.#failed(reason);
      await delay(PROBE_PAUSE_MS, undefined, { signal });
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.#plan.probe();
      return true;
    } catch {
      return false;
    }
  }

  async #runToEnd(command: Command, signal?: AbortSignal): Promise<void> {
    const child = this.#spawn(command);
    const failure = endOf(child);
    while (failure() === undefined) await delay(10, undefined, { signal });
    if (child.exitCode !== 0) throw await this.#failed(failure() ?? 'failed');
  }

  #spawn({ file, args, env, owner }: Command): ChildProcess {
    const { folder, endSignal } = this.#plan;
    const log = openSync(this.#logFile, 'a');
    const options = { cwd: folder, env, detached: true, stdio: ['ignore', log, log] as const };
    const child = spawn(file, args, { ...options, stdio: [...options.stdio], ...owner });
    closeSync(log);
    const { pid } = child;
    if (pid !== undefined) {
      this.#reaper.watch(pid, endSignal);
      child.once('exit', () => this.#reaper.forget(pid));
    }
    child.unref();
    return child;
  }

  get #logFile(): string {
    return join(this.#plan.folder, 'output.log');
  }

  #roots(): number[] {
    const child = this.#child;
    const isRunning = child?.exitCode === null && child.signalCode === null;
    return isRunning && child.pid !== undefined ? [child.pid] : [];
  }

  #members(): ProcessEntry[] {
    return membersOf(this.#roots(), this.#plan.folder);
  }

  async #failed(reason: string): Promise<Error> {
    const text = await readFile(this.#logFile, 'utf8').catch(() => '');
    const lines = text.trimEnd().split('\n').slice(-15);
    return new Error(`${this.title} ${reason}; the end of its log:\n  ${lines.join('\n  ')}`);
  }
}

/** Reports how the process ended, once it has; a program that could not be started counts as ended. */
function endOf(child: ChildProcess): () => string | undefined {
  let startError: Error | undefined;
  child.on('error', (error) => {
    startError = error;
  });
  return () => {
    if (startError) return `could not be started (${startError.message})`;
    if (child.signalCode !== null) return `was ended by ${child.signalCode}`;
    if (child.exitCode !== null) return `ended with code ${child.exitCode}`;
    return undefined;
  };
}
