// CPU time of another process as counted by the operating system, all threads together (garbage collection and
// compilation included). Linux reports nanoseconds per thread; elsewhere `ps` reports hundredths of a second, which is
// enough for rounds of seconds.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export function cpuNanos(pid: number): Promise<number> {
  return process.platform === 'linux' ? sumOfThreads(pid) : fromProcessTable(pid);
}

async function sumOfThreads(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const nanos = await Promise.all(threads.map((thread) => threadNanos(pid, thread)));
  return nanos.reduce((sum, each) => sum + each, 0);
}

async function threadNanos(pid: number, thread: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
  return Number(text.split(' ', 1)[0]);
}

async function fromProcessTable(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'cputime=', '-p', String(pid)], { timeout: 5_000 });
  return parseCpuTime(stdout.trim()) * 1e9;
}

/** `[days-][hours:]minutes:seconds[.hundredths]` in seconds. */
export function parseCpuTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').toReversed();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Number(days) * 86_400 + seconds;
}
