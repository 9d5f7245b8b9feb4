// Health and cluster endpoints for operators. Every answer is the JSON of a reading that is taken at most once a second, so
// that neither the number of requests nor the number of servers changes the cost of a request. None calls a provider.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Operator } from '../../admission/administer-audit.ts';
import type { ServerMode } from '../../cluster/server-record.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { adminGuard, adminSchema, operatorOf, plainName } from '../schemas/admin.ts';
import {
  capacityView,
  clusterStatusView,
  detailedHealth,
  scalingView,
  serverModeView,
} from '../schemas/cluster.ts';
import { plainAnswer } from '../schemas/documented.ts';

/** Each resolves to JSON text. */
export type ClusterReadings = {
  readonly health: () => Promise<string>;
  readonly capacity: () => Promise<string>;
  readonly status: () => Promise<string>;
  readonly scaling: () => Promise<string>;
};

export function clusterReadingRoutes(
  readings: ClusterReadings,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    function add(path: string, summary: string, view: z.ZodType, read: () => Promise<string>) {
      const schema = adminSchema(summary, { response: { 200: view } });
      app.get(path, { ...guard, ...plainAnswer, schema }, async (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(await read()),
      );
    }

    add('/health/detailed', 'The health of this server', detailedHealth, readings.health);
    add(
      '/health/capacity',
      'Limits, circuits, headroom and forecast per provider and region',
      capacityView,
      readings.capacity,
    );
    for (const path of ['/health/cluster', '/cluster/status'])
      add(
        path,
        'Every server with its opinions, disagreements, routing and recommendations',
        clusterStatusView,
        readings.status,
      );
    add('/cluster/scaling', 'The wanted number of servers per role', scalingView, readings.scaling);
  };
}

/** Resolves to false if no such server is registered. */
export type SetServerMode = (operator: Operator, id: string, mode: ServerMode) => Promise<boolean>;

const ACTIONS: Readonly<Record<'maintenance' | 'drain' | 'resume', [ServerMode, string]>> = {
  maintenance: ['maintenance', 'Route no request of another server to it; survives its restart'],
  drain: ['draining', 'Stop its work as SIGTERM does, without ending the process'],
  resume: ['active', 'End maintenance or draining'],
};

export function serverModeRoutes(
  setMode: SetServerMode,
  gate: Pick<Gate, 'requireAdmin'>,
): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();
    for (const [action, [mode, summary]] of Object.entries(ACTIONS))
      api.post(
        `/cluster/servers/:id/${action}`,
        {
          ...guard,
          schema: adminSchema(summary, {
            params: z.object({ id: plainName }),
            response: { 200: serverModeView },
          }),
        },
        async (request) => {
          const { id } = request.params;
          if (await setMode(operatorOf(request), id, mode)) return { id, mode };
          throw new SpillwayError('NOT_FOUND', 'no such server');
        },
      );
  };
}
