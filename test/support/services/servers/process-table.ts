// Lists processes and decides which belong to a private server. Process groups are not
// sufficient: PostgreSQL's backends and Erlang's port programs leave them. Linux reads /proc (a slim Debian
// has no `ps`); other systems use `ps`, which shows no working directory, so ancestry decides.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export type ProcessEntry = {
  pid: number;
  parentPid: number;
  groupId: number;
  command: string;
  /** Stopped by SIGSTOP. */
  isStopped: boolean;
  isZombie: boolean;
};

/**
 * Commands of server processes. A process with such a name belongs to the server if it works in the server's
 * folder, whatever its parent is; the name check leaves a user's shell in that folder alone.
 */
const SERVER_COMMANDS: ReadonlySet<string> = new Set([
  'redis-server',
  'postgres',
  'initdb',
  'beam.smp',
  'epmd',
  'erl_child_setup',
  'inet_gethost',
  'erlexec',
  'cpu_sup',
  'memsup',
]);

export function listProcesses(): ProcessEntry[] {
  const table = process.platform === 'linux' ? readProc() : readPs();
  return table.filter((entry) => !entry.isZombie);
}

/** The live processes that are the root, in its group, its descendants, or servers working in the folder. */
export function membersOf(rootPids: readonly number[], folder?: string): ProcessEntry[] {
  const table = listProcesses();
  const kin = new Set(rootPids);
  for (let before = -1; before !== kin.size; ) {
    before = kin.size;
    for (const { pid, parentPid, groupId } of table)
      if (kin.has(parentPid) || kin.has(groupId)) kin.add(pid);
  }
  return table.filter(
    (entry) => kin.has(entry.pid) || (folder !== undefined && isServerIn(entry, folder)),
  );
}

/** Polls, because most of these are not child processes and send no event. False after the timeout. */
export async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** Signals a process by its id; a process that has already ended is ignored. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

export function workingFolder(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function isServerIn(entry: ProcessEntry, folder: string): boolean {
  if (!SERVER_COMMANDS.has(entry.command)) return false;
  const cwd = workingFolder(entry.pid);
  return cwd === folder || (cwd?.startsWith(`${folder}/`) ?? false);
}

function readProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
}

/**
 * `pid (command) state ppid pgrp …`; the command may contain blanks and brackets, so the split is at the last
 * bracket.
 */
function readStat(pid: string): ProcessEntry[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return [];
  }
  const end = stat.lastIndexOf(')');
  const [state, parentPid, groupId] = stat.slice(end + 2).split(' ');
  return [
    {
      pid: Number(pid),
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      command: stat.slice(stat.indexOf('(') + 1, end),
      isStopped: state === 'T',
      isZombie: state === 'Z' || state === 'X',
    },
  ];
}

function readPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,comm='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [pid, parentPid, groupId, state, ...command] = line.trim().split(/\s+/);
    if (!pid || !state) return [];
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        groupId: Number(groupId),
        command: command.join(' ').split('/').at(-1) ?? '',
        isStopped: state.startsWith('T'),
        isZombie: state.startsWith('Z'),
      },
    ];
  });
}
