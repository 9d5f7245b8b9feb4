// A span for each request of a route, except health checks, metrics and pages. The span's own `traceparent` replaces
// the caller's header, so that jobs and calls that the route starts continue the trace.

import type { Clock } from '../kernel/clock.ts';
import type { Span, Tracer } from '../kernel/telemetry/tracer.ts';
import type { RegisterRoutes } from './http-server.ts';

const TRACED = /^\/(v1|admin|cluster)\//;

/** Registered before the routes. */
export function traceRequests(tracer: Tracer, clock: Pick<Clock, 'now'>): RegisterRoutes {
  return (app) => {
    const spans = new WeakMap<object, Span>();
    app.addHook('onRequest', async (request) => {
      const { url: route = '' } = request.routeOptions;
      if (!TRACED.test(route)) return;
      const parent = request.headers['traceparent'];
      const span = tracer.start(`${request.method} ${route}`, {
        kind: 'server',
        parent: typeof parent === 'string' ? parent : undefined,
        startedAt: clock.now(),
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'spillway.request.id': request.id,
        },
      });
      spans.set(request, span);
      request.headers['traceparent'] = span.traceParent;
    });
    app.addHook('onResponse', async (request, { statusCode }) => {
      const span = spans.get(request);
      span?.set({ 'http.response.status_code': statusCode });
      span?.end(statusCode < 400 ? undefined : String(statusCode));
    });
  };
}
