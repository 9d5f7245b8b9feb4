// Schemas of the health and cluster endpoints for operators. The views are built from allow-lists; the schemas document them.

import { z } from 'zod';
import { moment } from './admin.ts';

const serverHealth = z.enum(['healthy', 'degraded', 'unhealthy']);
const milliseconds = z.number().min(0);

export const detailedHealth = z.object({
  id: z.string(),
  version: z.string(),
  status: serverHealth.describe('degraded: a limit is active or a dependency is unavailable'),
  isDraining: z.boolean(),
  mode: z.enum(['active', 'maintenance', 'draining']).describe('What an operator wants'),
  aiUsageLimit: z
    .object({
      isActive: z.boolean(),
      resetTime: moment.nullable(),
      timeUntilReset: milliseconds.nullable().describe('Milliseconds'),
      provider: z.string().nullable(),
    })
    .describe('The provider limit that ends first'),
  basicMetrics: z.object({
    memoryRSS: z.int().describe('Bytes'),
    memoryHeapUsed: z.int().describe('Bytes'),
    uptime: z.number().min(0).describe('Seconds'),
    eventLoopDelayMs: z
      .object({ mean: milliseconds, max: milliseconds })
      .describe('How late timers fired since the last reading'),
  }),
  workload: z.object({
    activeBuilds: z.int(),
    queueDepth: z
      .int()
      .nullable()
      .describe('Jobs that could run now; null while a queue is unavailable'),
  }),
  dependencies: z.array(
    z.object({
      name: z.enum(['store', 'redis', 'broker']),
      status: z.enum(['up', 'down']),
      latencyMs: milliseconds.nullable(),
    }),
  ),
  lastHealthCheck: moment,
});

const regionCapacity = z.object({
  provider: z.string(),
  region: z.string(),
  accounts: z.int(),
  limit: z.object({ isActive: z.boolean(), resetAt: moment.nullable() }),
  limits: z.array(
    z.object({
      account: z.string(),
      model: z.string().nullable(),
      resetAt: moment,
      kind: z.string(),
    }),
  ),
  breaker: z.enum(['closed', 'open', 'half_open']),
  headroom: z
    .object({
      account: z.string(),
      model: z.string().nullable(),
      remainingRatio: z.number().min(0).max(1),
      readAt: moment,
    })
    .nullable()
    .describe('The scarcest reading of response headers; null without one'),
  exhaustedAt: moment
    .nullable()
    .describe('The forecast at the current rate; null if the reset comes first'),
});

export const capacityView = z.object({ data: z.array(regionCapacity), readAt: moment });

const counts = z.record(z.string(), z.int());
const routingCounts = z.object({ local: counts, proxied: counts, failed: counts });

const opinionEntry = z.object({
  subject: z.enum(['limit', 'circuit']),
  provider: z.string(),
  region: z.string(),
  resetAt: moment.optional(),
  state: z.enum(['open', 'half_open']).optional(),
  forMs: milliseconds.describe('How long the server had known it at its last beat'),
  endsInMs: z.number().optional(),
});

const serverView = z.object({
  id: z.string(),
  incarnation: z.string(),
  version: z.string(),
  url: z.string().optional(),
  region: z.string(),
  isGateway: z.boolean(),
  isDispatcher: z.boolean(),
  workers: z.array(
    z.object({
      provider: z.string(),
      concurrency: z.int(),
      running: z.int(),
      averageRunMs: milliseconds,
    }),
  ),
  maxConcurrentBuilds: z.int(),
  currentLoad: z.int(),
  health: serverHealth,
  priority: z.int(),
  isMaintenanceMode: z.boolean(),
  isDraining: z.boolean(),
  capabilities: z.object({
    providers: z.array(z.string()),
    models: z.array(z.string()),
    scopes: z.array(
      z.object({ provider: z.string(), region: z.string(), account: z.string().optional() }),
    ),
  }),
  opinion: z.object({
    entries: z.array(opinionEntry),
    refusedAccounts: z.array(z.object({ provider: z.string(), account: z.string() })),
  }),
  routing: routingCounts,
  forwardedTo: counts.optional(),
  lastHeartbeat: moment,
  isSuspected: z.boolean().describe('It has missed three beats'),
  sinceHeartbeatMs: milliseconds,
});

export const clusterStatusView = z.object({
  now: moment.describe("The registry's clock"),
  isStale: z.boolean().describe('The registry is unavailable, and this is the last reading'),
  serverId: z.string().describe('The server that answers'),
  servers: z.array(serverView),
  disagreements: z.array(
    z.object({
      subject: z.enum(['limit', 'circuit']),
      provider: z.string(),
      region: z.string(),
      knownBy: z.array(z.string()),
      unknownTo: z.array(z.string()),
    }),
  ),
  routing: z.object({
    local: z.int(),
    proxied: z.int(),
    failed: z.int(),
    byReason: routingCounts,
  }),
  forwarding: z
    .array(z.object({ from: z.string(), to: z.string(), count: z.int() }))
    .describe('Requests that a server has forwarded, by the server that answered'),
  recommendations: z.array(
    z.object({ action: z.string(), subject: z.string(), message: z.string() }),
  ),
});

export const scalingView = z.object({
  data: z.array(
    z.object({
      role: z.enum(['gateway', 'worker']),
      provider: z.string().nullable().describe('null for gateways'),
      current: z.int(),
      desired: z.int(),
      reasons: z.array(z.string()),
    }),
  ),
  readAt: moment,
});

export const serverModeView = z.object({
  id: z.string(),
  mode: z.enum(['active', 'maintenance', 'draining']),
});
