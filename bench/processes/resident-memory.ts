// Resident memory (RSS) of another process as counted by the operating system.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function residentBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  }
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 5_000 });
  return Number(stdout.trim()) * 1_024;
}
