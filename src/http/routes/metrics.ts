// GET /metrics for Prometheus: with the admin key or a key with the scope `metrics`.

import type { Metrics } from '../../kernel/metrics.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from '../prometheus.ts';

export function metricsRoutes(metrics: Metrics, gate: Gate): RegisterRoutes {
  return (app) => {
    const schema = {
      summary: 'Metrics in the Prometheus text format',
      tags: ['Health'],
      security: [{ admin: [] }],
    };
    app.get('/metrics', { schema }, async (request, reply) => {
      await gate.requireAdminOrScope(request, 'metrics');
      return reply.type(PROMETHEUS_CONTENT_TYPE).send(renderPrometheus(metrics));
    });
  };
}
