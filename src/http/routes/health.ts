// Health endpoints for load balancers and supervisors. They never call a provider.

import { z } from 'zod';
import type { RegisterRoutes } from '../http-server.ts';

export type Readiness = {
  /** Why the server must not get requests; undefined if it is healthy. */
  unhealthyReason(): 'draining' | 'unhealthy' | undefined;
  /** Also `degraded` while a dependency is unavailable. */
  notReadyReason(): 'draining' | 'unhealthy' | 'degraded' | undefined;
};

const status = z.object({ status: z.enum(['healthy', 'degraded', 'unhealthy', 'draining']) });

export function healthRoutes(readiness: Readiness): RegisterRoutes {
  return (app) => {
    const schema = (summary: string) => ({
      summary,
      tags: ['Health'],
      response: { 200: status, 503: status },
    });

    app.get(
      '/health',
      { schema: schema('Whether the server accepts requests') },
      (_request, reply) => {
        const reason = readiness.unhealthyReason();
        return reply.code(reason === undefined ? 200 : 503).send({ status: reason ?? 'healthy' });
      },
    );
    app.get('/health/live', { schema: schema('Whether the process is alive') }, (_request, reply) =>
      reply.send({ status: 'healthy' }),
    );
    app.get(
      '/health/ready',
      { schema: schema('Whether the server and its dependencies are ready') },
      (_request, reply) => {
        const reason = readiness.notReadyReason();
        return reply.code(reason === undefined ? 200 : 503).send({ status: reason ?? 'healthy' });
      },
    );
  };
}
