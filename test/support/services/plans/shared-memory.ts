// PostgreSQL holds a small System V segment as an interlock on its data folder. It removes the segment on
// exit and takes it over on the next start; killed and never restarted, it would leave the segment on the
// machine. This file removes exactly the segment that the data folder names.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function releaseSharedMemory(dataFolder: string): void {
  const segment = abandonedSegment(dataFolder);
  if (segment === undefined || !isOurs(segment)) return;
  try {
    execFileSync('ipcrm', ['-m', segment.id], { stdio: 'ignore' });
  } catch {
    // Already removed, or no ipcrm on this machine: a few bytes remain until the next boot.
  }
}

type Segment = { key: string; id: string };

/** The seventh line of postmaster.pid, which a clean shutdown removes. */
function abandonedSegment(dataFolder: string): Segment | undefined {
  const line = readOr(join(dataFolder, 'postmaster.pid'), '').split('\n')[6] ?? '';
  const [key, id] = line.trim().split(/\s+/);
  return key && id ? { key, id } : undefined;
}

/** Segment ids are reused, so on Linux the key must match too and no process may be attached. */
function isOurs({ key, id }: Segment): boolean {
  const table = readOr('/proc/sysvipc/shm', undefined);
  if (table === undefined) return true;
  return table.split('\n').some((line) => {
    const fields = line.trim().split(/\s+/);
    return Number(fields[0]) === Number(key) && fields[1] === id && fields[6] === '0';
  });
}

function readOr<T>(file: string, otherwise: T): string | T {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
