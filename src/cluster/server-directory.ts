// The servers of the cluster as last read from the registry, at most one reading a second. While the registry is
// unavailable the last reading is used and marked stale, with the servers that were suspected when it was read; a request
// routed by it may reach a server that has stopped.

import { cacheReading } from '../kernel/cached-reading.ts';
import type { Clock } from '../kernel/clock.ts';
import type { RegistrySnapshot } from './server-record.ts';
import type { ServerRegistry } from './server-registry.ts';

export type DirectorySnapshot = RegistrySnapshot & { readonly isStale: boolean };

export type ServerDirectory = { snapshot(): Promise<DirectorySnapshot> };

const MAX_AGE_MS = 1000;

export function createServerDirectory(
  registry: Pick<ServerRegistry, 'list'>,
  clock: Clock,
): ServerDirectory {
  let last: RegistrySnapshot | undefined;

  async function read(): Promise<DirectorySnapshot> {
    try {
      last = await registry.list();
      return { ...last, isStale: false };
    } catch {
      return { ...(last ?? { now: clock.now(), servers: [] }), isStale: true };
    }
  }

  return { snapshot: cacheReading(clock, MAX_AGE_MS, read) };
}
