// Runs a client as a process with a time limit. Its environment holds nothing of this machine but the path: no key, no
// configuration. A proxy that does not exist keeps it from every host but this one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command, Ended } from './client.ts';

const MAX_OUTPUT = 200_000;
const LOCAL_HOSTS = '127.0.0.1,localhost';
const NO_ROUTE = 'http://127.0.0.1:9';

export async function runProcess(
  { file, args, env }: Command,
  home: string,
  timeLimitMs: number,
): Promise<Ended> {
  const child = spawn(file, args, {
    cwd: home,
    // A group of its own: agents start processes that must end with them.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...isolated(home), ...env },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (output[name].length < MAX_OUTPUT) output[name] += text;
    });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, timeLimitMs);
  const [code]: unknown[] = await once(child, 'close').finally(() => clearTimeout(limit));
  return { code: isLate ? undefined : Number(code ?? 1), ...output };
}

function isolated(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TERM: 'dumb',
    NO_PROXY: LOCAL_HOSTS,
    no_proxy: LOCAL_HOSTS,
    HTTP_PROXY: NO_ROUTE,
    HTTPS_PROXY: NO_ROUTE,
  };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
