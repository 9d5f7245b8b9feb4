// GET /admin/jobs/{jobId}: one job with its events, runs and timeline, for operators. Prompt, result and partial output
// are left out: they belong to the caller.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { toAdminJobView } from '../../http/routes/admin-jobs.ts';
import { adminGuard, adminSchema, rowId } from '../../http/schemas/admin.ts';
import { plainAnswer } from '../../http/schemas/documented.ts';
import type { JobFigures } from '../../jobs/ports/job-figures.ts';
import type { JobHistory } from '../../jobs/ports/job-history.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { jobTimeline, toEventView, toRunView } from '../readings/job-timeline.ts';
import { jobDetails } from '../schemas/timeline.ts';

export type JobDetailsParts = {
  readonly jobs: Pick<JobStore, 'find'>;
  readonly history: Pick<JobHistory, 'events' | 'attempts'>;
  readonly figures: Pick<JobFigures, 'deadLetterOf'>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

const MAX_EVENTS = 500;
const MAX_RUNS = 200;

export function jobDetailsRoutes(parts: JobDetailsParts): RegisterRoutes {
  const { jobs, history, figures, gate, clock } = parts;
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/jobs/:id',
      {
        ...adminGuard(gate),
        ...plainAnswer,
        schema: adminSchema('One job with its events, runs and timeline', {
          params: z.object({ id: rowId.describe("Spillway's id: `jobId` of the list") }),
          response: { 200: jobDetails },
        }),
      },
      async ({ params: { id } }) => {
        const job = await jobs.find({ id });
        if (!job) throw new SpillwayError('NOT_FOUND', 'no such job');
        const [events, attempts, deadLetterId = null] = await Promise.all([
          history.events(id, { limit: MAX_EVENTS }),
          history.attempts(id),
          figures.deadLetterOf(id),
        ]);
        const now = clock.now();
        const runs = attempts.slice(-MAX_RUNS);
        return {
          ...toAdminJobView(job, now),
          events: events.map((event) => toEventView(event, now)),
          runs: runs.map(toRunView),
          timeline: jobTimeline(job, events, runs),
          deadLetterId,
        };
      },
    );
  };
}
