// The port to the registry of servers. A record expires a minute after its last announcement. While the registry is
// unavailable every method rejects; the caller repeats its announcement with the next beat.

import type { RegistrySnapshot, ServerMode, ServerRecord } from './server-record.ts';

export const RECORD_LIFETIME_MS = 60_000;

export type Announcement =
  | { readonly kind: 'accepted'; readonly mode: ServerMode }
  /** Another incarnation has this id and has beaten within the last three beats. Nothing was written. */
  | { readonly kind: 'occupied'; readonly lastHeartbeat: number; readonly now: number };

export type ServerRegistry = {
  /** Writes the record, stamped with the registry's clock, unless another live incarnation has its id. */
  announce(record: ServerRecord): Promise<Announcement>;
  /** Removes the record, unless another incarnation has taken over its id. */
  withdraw(server: Pick<ServerRecord, 'id' | 'incarnation'>): Promise<void>;
  /** All records, ordered by id. A record shows a requested mode immediately, before its server has applied it. */
  list(): Promise<RegistrySnapshot>;
  /**
   * False if no such server is registered. Maintenance stays with the id; draining ends with the incarnation. All
   * followers are notified.
   */
  setMode(id: string, mode: ServerMode): Promise<boolean>;
  /** Calls the listener when a mode has changed and when the registry is available again. */
  follow(onNotice: () => void): Promise<void>;
  /** Acquires or renews the lease of that name; false while another holder has it. */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Idempotent. */
  close(): Promise<void>;
};
