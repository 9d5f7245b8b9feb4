// The JSON of a server record in Redis. Of a record that another version wrote, the known fields are read; a record
// without an id is dropped.

import { z } from 'zod';
import type { RegisteredServer, ServerRecord } from '../../../cluster/server-record.ts';
import { wellFormedJson } from '../well-formed-json.ts';

const counts = z.record(z.string(), z.number()).catch({});

const scope = z.object({
  provider: z.string(),
  region: z.string(),
  account: z.string().optional(),
});

const entry = z.object({
  subject: z.enum(['limit', 'circuit']),
  provider: z.string(),
  region: z.string(),
  resetAt: z.number().optional(),
  state: z.enum(['open', 'half_open']).optional(),
  forMs: z.number(),
  endsInMs: z.number().optional(),
});

const worker = z.object({
  provider: z.string(),
  concurrency: z.number(),
  running: z.number(),
  averageRunMs: z.number(),
});

const record = z.object({
  id: z.string().min(1),
  incarnation: z.string(),
  version: z.string().catch('unknown'),
  url: z.string().optional(),
  region: z.string(),
  isGateway: z.boolean(),
  isDispatcher: z.boolean().catch(false),
  workers: z.array(worker).catch([]),
  maxConcurrentBuilds: z.number().positive(),
  currentLoad: z.number().min(0),
  health: z.enum(['healthy', 'degraded', 'unhealthy']),
  priority: z.number(),
  isMaintenanceMode: z.boolean(),
  isDraining: z.boolean().catch(false),
  capabilities: z.object({
    providers: z.array(z.string()),
    models: z.array(z.string()),
    scopes: z.array(scope).catch([]),
  }),
  opinion: z
    .object({
      entries: z.array(entry),
      refusedAccounts: z.array(z.object({ provider: z.string(), account: z.string() })),
    })
    .catch({ entries: [], refusedAccounts: [] }),
  routing: z
    .object({ local: counts, proxied: counts, failed: counts })
    .catch({ local: {}, proxied: {}, failed: {} }),
  forwardedTo: counts.optional(),
  lastHeartbeat: z.number(),
});

/** Without the closing brace: the script adds the heartbeat. */
export function encodeOpenRecord(server: ServerRecord): string {
  return wellFormedJson(server).slice(0, -1);
}

export function decodeRecord(text: string | null): RegisteredServer | undefined {
  if (text === null) return undefined;
  try {
    const { url, ...rest } = record.parse(JSON.parse(text));
    return { url, ...rest };
  } catch {
    return undefined;
  }
}
