// Runs `spillway serve` as a child process of the shop and starts it again when it dies. The data folder keeps jobs and events, so that a
// restart loses none.
// States: starting → running → (died → starting)… → closed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Spillway = {
  /** A request with the shop's key; rejects while Spillway is restarting. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** A request of the operator: the shop uses it to rehearse bad days on the simulator. */
  operate(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

const RESTART_DELAY_MS = 500;

export async function startSpillway(command: string, dataDir: string): Promise<Spillway> {
  mkdirSync(dataDir, { recursive: true });
  let child: ChildProcess;
  let url: string | undefined;
  let isClosed = false;

  async function start(): Promise<void> {
    child = spawn(process.execPath, [command, 'serve', '--port', '0'], {
      cwd: dataDir,
      env: { PATH: process.env['PATH'], SPILLWAY_DATA_DIR: dataDir, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.once('exit', () => {
      url = undefined;
      if (!isClosed) setTimeout(() => void start().catch(reportEnd), RESTART_DELAY_MS);
    });
    url = await readyUrl(child);
    console.log(`Spillway is ready on ${url} (process ${child.pid})`);
  }

  function request(path: string, key: string, init: RequestInit = {}): Promise<Response> {
    if (url === undefined) return Promise.reject(new Error('Spillway is restarting'));
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${readFileSync(join(dataDir, key), 'utf8').trim()}`);
    return fetch(url + path, { ...init, headers });
  }

  await start();
  return {
    call: (path, init) => request(path, 'api-key', init),
    operate: (path, init) => request(path, 'admin-key', init),
    async close() {
      isClosed = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Resolves with the URL of the ready line; rejects if the process ends before that. */
function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
      const ready = /is ready on (\S+)/.exec(output)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    child.once('exit', (code) => reject(new Error(`Spillway ended with ${code}`)));
  });
}

function reportEnd(error: unknown): void {
  console.error(String(error));
}
