// For load balancers and supervisors. Nothing here makes a call to a provider or waits for one.

import { z } from 'zod';
import type { RegisterRoutes } from '../http-server.ts';

export type Readiness = {
  /** Why the server must not be sent anything; undefined when it is well. */
  unwellBecause(): 'draining' | 'unhealthy' | undefined;
  /** The same, or that something it depends on is away. */
  notReadyBecause(): 'draining' | 'unhealthy' | 'degraded' | undefined;
};

const status = z.object({ status: z.enum(['healthy', 'degraded', 'unhealthy', 'draining']) });

export function healthRoutes(readiness: Readiness): RegisterRoutes {
  return (app) => {
    const schema = (summary: string) => ({
      summary,
      tags: ['Health'],
      response: { 200: status, 503: status },
    });

    app.get('/health', { schema: schema('Can it take requests?') }, (_request, reply) => {
      const reason = readiness.unwellBecause();
      return reply.code(reason === undefined ? 200 : 503).send({ status: reason ?? 'healthy' });
    });
    app.get('/health/live', { schema: schema('Is the process alive?') }, (_request, reply) =>
      reply.send({ status: 'healthy' }),
    );
    app.get('/health/ready', { schema: schema('Is it ready?') }, (_request, reply) => {
      const reason = readiness.notReadyBecause();
      return reply.code(reason === undefined ? 200 : 503).send({ status: reason ?? 'healthy' });
    });
  };
}
