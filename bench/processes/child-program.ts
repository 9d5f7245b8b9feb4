// A bench program in its own process, controlled over IPC (programs/serve-orders.ts is the other side). Every order has
// a time limit; a program that exits early fails the pending order. `stop` ends it by its id and waits for the exit.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endProcess } from './end-process.ts';

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

const ORDER_LIMIT_MS = 30_000;

export class ChildProgram {
  readonly pid: number;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(file: URL, signal: AbortSignal) {
    this.#name = file.pathname.split('/').at(-1) ?? 'program';
    this.#child = fork(fileURLToPath(file), {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.pid = this.#child.pid ?? 0;
    this.#child.on('message', (message) => this.#settle(message));
    this.#child.on('error', (error) => this.#failAll(error));
    signal.addEventListener('abort', () => this.#failAll(new Error('Interrupted')), { once: true });
    this.#child.on('exit', () => this.#failAll(new Error(`${this.#name} ended unexpectedly`)));
  }

  ask(order: string, args?: unknown, limitMs: number = ORDER_LIMIT_MS): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const fail = () =>
        this.#take(id)?.reject(new Error(`${this.#name} did not ${order} in time`));
      const timer = setTimeout(fail, limitMs);
      this.#waiting.set(id, {
        resolve(result) {
          clearTimeout(timer);
          resolve(result);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#child.send({ id, order, args }, (error) => error && this.#take(id)?.reject(error));
    });
  }

  stop(): Promise<void> {
    return endProcess(this.#child);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #settle(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('id' in message)) return;
    const waiting = this.#take(Number(message.id));
    if ('error' in message) waiting?.reject(new Error(`${this.#name}: ${String(message.error)}`));
    else waiting?.resolve('result' in message ? message.result : undefined);
  }

  #failAll(error: Error): void {
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(error);
  }
}
