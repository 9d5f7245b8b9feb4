// The registry of a single process: it holds the record of this server only, and serves the same endpoints as the
// registry of a cluster.

import type { RegisteredServer, ServerMode } from '../../cluster/server-record.ts';
import type { ServerRegistry } from '../../cluster/server-registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SUSPECTED_AFTER_MS } from '../../kernel/heartbeat.ts';

export type MemoryServerRegistryParts = {
  readonly clock: Pick<Clock, 'now'>;
  /** Older records are dropped. */
  readonly lifetimeMs: number;
};

type RequestedMode = { readonly mode: ServerMode; readonly incarnation: string };

export function createMemoryServerRegistry(parts: MemoryServerRegistryParts): ServerRegistry {
  const { clock, lifetimeMs } = parts;
  const records = new Map<string, RegisteredServer>();
  const modes = new Map<string, RequestedMode>();
  const leases = new Map<string, { readonly holder: string; readonly until: number }>();
  const listeners = new Set<() => void>();

  function dropExpired(): void {
    for (const [id, { lastHeartbeat }] of records)
      if (clock.now() - lastHeartbeat >= lifetimeMs) records.delete(id);
  }

  /** Maintenance belongs to the id, draining to one incarnation. */
  function modeOf({ id, incarnation }: Pick<RegisteredServer, 'id' | 'incarnation'>): ServerMode {
    const requested = modes.get(id);
    if (!requested || (requested.mode === 'draining' && requested.incarnation !== incarnation))
      return 'active';
    return requested.mode;
  }

  return {
    async announce(record) {
      const now = clock.now();
      const known = records.get(record.id);
      const isOther = known !== undefined && known.incarnation !== record.incarnation;
      if (isOther && now - known.lastHeartbeat <= SUSPECTED_AFTER_MS)
        return { kind: 'occupied', lastHeartbeat: known.lastHeartbeat, now };
      records.set(record.id, { ...record, lastHeartbeat: now });
      return { kind: 'accepted', mode: modeOf(record) };
    },
    async withdraw({ id, incarnation }) {
      if (records.get(id)?.incarnation === incarnation) records.delete(id);
    },
    async list() {
      dropExpired();
      const servers = [...records.values()].map((record) => ({
        ...record,
        isMaintenanceMode: record.isMaintenanceMode || modeOf(record) === 'maintenance',
        isDraining: record.isDraining || modeOf(record) === 'draining',
      }));
      return { now: clock.now(), servers: servers.toSorted(byId) };
    },
    async setMode(id, mode) {
      dropExpired();
      const record = records.get(id);
      if (!record) return false;
      modes.set(id, { mode, incarnation: record.incarnation });
      for (const listener of listeners) listener();
      return true;
    },
    async follow(onNotice) {
      listeners.add(onNotice);
    },
    async acquireLease(name, holder, ttlMs) {
      const now = clock.now();
      const lease = leases.get(name);
      if (lease && lease.holder !== holder && lease.until > now) return false;
      leases.set(name, { holder, until: now + ttlMs });
      return true;
    },
    async close() {
      listeners.clear();
    },
  };
}

function byId(one: RegisteredServer, other: RegisteredServer): number {
  return one.id.localeCompare(other.id);
}
