// GET /admin/dashboard/jobs: the flow of jobs, the queues and their history.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { adminGuard, adminSchema } from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { JobsPage } from '../api/jobs.ts';
import { jobsView } from '../schemas/jobs.ts';
import { rangeOf, rangeQuery } from '../schemas/time-series.ts';

export type JobsRouteParts = {
  readonly readJobs: (from: number, to: number) => Promise<JobsPage>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

export function jobsRoutes({ readJobs, gate, clock }: JobsRouteParts): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/dashboard/jobs',
      {
        ...adminGuard(gate),
        ...plainAnswer,
        schema: adminSchema('The flow of jobs, the queues and their history', {
          querystring: z.object(rangeQuery),
          response: { 200: jobsView },
        }),
      },
      async ({ query }) => {
        const { from, to } = rangeOf(query, clock.now());
        return readJobs(from, to);
      },
    );
  };
}
