// Locks a data folder for one process. The lock is an exclusive SQLite transaction on a file of its own: the kernel
// releases it when the process dies, so there is no stale lock to clean up. The owner's process id is in a second file,
// for the error message only: opening and closing the locked file itself would release the lock, because a POSIX lock
// ends when any descriptor of the file is closed.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type LockedFolder = {
  readonly kind: 'locked';
  /** Idempotent. */
  release(): void;
};

/** Another process has the lock; its id is undefined if it has just started. */
export type FolderInUse = { readonly kind: 'in_use'; readonly pid: number | undefined };

export type FolderUnwritable = { readonly kind: 'unwritable'; readonly reason: string };

/** References that keep the garbage collector from closing a lock's database and so releasing the lock. */
const locks = new Set<DatabaseSync>();

export function lockFolder(folder: string): LockedFolder | FolderInUse | FolderUnwritable {
  const pidFile = path.join(folder, 'spillway.pid');
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    const lock = acquireLock(path.join(folder, 'spillway.lock'));
    if (!lock) return { kind: 'in_use', pid: readPid(pidFile) };
    writePid(lock, pidFile);
    locks.add(lock);
    return { kind: 'locked', release: () => release(lock, pidFile) };
  } catch (cause) {
    return { kind: 'unwritable', reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** One level at a time: Node's recursive mkdir loops forever where a parent cannot be created, as under /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function acquireLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return database;
  } catch (cause) {
    database.close();
    if (isBusy(cause)) return undefined;
    throw cause;
  }
}

const SQLITE_BUSY = 5;

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY;
}

function writePid(lock: DatabaseSync, file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    lock.close();
    throw cause;
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function release(lock: DatabaseSync, pidFile: string): void {
  if (!locks.delete(lock)) return;
  rmSync(pidFile, { force: true });
  lock.close();
}
