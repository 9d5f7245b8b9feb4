// GET /admin/dashboard/overview and the live stream GET /admin/dashboard/live. All readings are shared by all viewers.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import type { LiveBroadcast } from '../../http/live/live-broadcast.ts';
import { adminGuard, adminSchema, moment } from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import { wantsStream } from '../../http/sse-reply.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Overview } from '../api/overview.ts';
import { finding, overallState } from '../schemas/findings.ts';
import { overviewView } from '../schemas/overview.ts';
import { rangeOf, rangeQuery } from '../schemas/time-series.ts';

/** The fields of api/live.ts. */
const liveView = z.looseObject({ now: moment, state: overallState, findings: z.array(finding) });

export type OverviewRouteParts = {
  readonly readOverview: (from: number, to: number) => Promise<Overview>;
  /** The JSON of the live state. */
  readonly readLive: () => Promise<string>;
  readonly live: Pick<LiveBroadcast, 'add'>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

export function overviewRoutes({
  readOverview,
  readLive,
  live,
  gate,
  clock,
}: OverviewRouteParts): RegisterRoutes {
  const guard = adminGuard(gate);
  return (app) => {
    const api = app.withTypeProvider<ZodTypeProvider>();
    api.get(
      '/admin/dashboard/overview',
      {
        ...guard,
        ...plainAnswer,
        schema: adminSchema('Traffic, errors, latency, spending, and present problems', {
          querystring: z.object(rangeQuery),
          response: { 200: overviewView },
        }),
      },
      async ({ query }) => {
        const { from, to } = rangeOf(query, clock.now());
        return readOverview(from, to);
      },
    );
    api.get(
      '/admin/dashboard/live',
      {
        ...guard,
        ...plainAnswer,
        schema: adminSchema(
          'The live state; with `Accept: text/event-stream` as events, one a second',
          { response: { 200: liveView } },
        ),
      },
      async (request, reply) => {
        if (!wantsStream(request)) {
          reply.type('application/json; charset=utf-8');
          return JSON.parse(await readLive());
        }
        live.add(reply, () => isAllowed(gate, request));
        return reply;
      },
    );
  };
}

function isAllowed(
  gate: Pick<Gate, 'requireAdmin'>,
  request: Parameters<Gate['requireAdmin']>[0],
): boolean {
  try {
    gate.requireAdmin(request);
    return true;
  } catch {
    return false;
  }
}
