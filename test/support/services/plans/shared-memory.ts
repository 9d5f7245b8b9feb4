// PostgreSQL holds a small System V segment as an interlock on its data folder. It removes it when it ends,
// and takes it over when it starts again on the same folder; killed and never started again, it would
// leave the segment to the machine. This removes exactly the one that the data folder names.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function releaseSharedMemory(dataFolder: string): void {
  const segment = abandonedSegment(dataFolder);
  if (segment === undefined || !isOurs(segment)) return;
  try {
    execFileSync('ipcrm', ['-m', segment.id], { stdio: 'ignore' });
  } catch {
    // Already gone, or no ipcrm on this machine: a few bytes stay until the next boot, nothing else.
  }
}

type Segment = { key: string; id: string };

/** The seventh line of postmaster.pid, which an orderly end removes. */
function abandonedSegment(dataFolder: string): Segment | undefined {
  const line = readOr(join(dataFolder, 'postmaster.pid'), '').split('\n')[6] ?? '';
  const [key, id] = line.trim().split(/\s+/);
  return key && id ? { key, id } : undefined;
}

/** Ids are used again by others, so on Linux the key must fit too and nobody may be attached. */
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
