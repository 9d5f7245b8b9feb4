// GET /admin/jobs: the jobs of one organisation or of all, for operators: the caller's view plus the organisation,
// without results, which belong to the caller.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { DEFAULT_LOCALE, DEFAULT_TIME_ZONE } from '../../errors/locale.ts';
import { JOB_STATES } from '../../jobs/model/job-state.ts';
import { toJobView } from '../../jobs/model/job-view.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { cutPage, pageQuery, readCursor, readonlyPageOf } from '../paging.ts';
import { adminGuard, adminSchema, organizationId } from '../schemas/admin.ts';
import { plainAnswer } from '../schemas/documented.ts';
import { jobView } from '../schemas/job.ts';

export type AdminJobRouteParts = {
  readonly jobs: Pick<JobStore, 'list'>;
  readonly requireOrganization: (id: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'requireAdmin'>;
};

export const jobListQuery = z.object({
  org: organizationId.optional(),
  status: z.enum(JOB_STATES).optional(),
  ...pageQuery,
});

export function adminJobRoutes(parts: AdminJobRouteParts): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/jobs',
      {
        ...adminGuard(parts.gate),
        ...plainAnswer,
        schema: adminSchema('Jobs of one organisation or of all, newest first', {
          querystring: jobListQuery,
          response: { 200: readonlyPageOf(jobView.extend({ organizationId: z.string() })) },
        }),
      },
      async ({ query: { org, status, limit, cursor } }) => {
        if (org !== undefined) await parts.requireOrganization(org);
        const before = readCursor(cursor);
        const rows = await parts.jobs.list({
          limit: limit + 1,
          ...(org !== undefined && { organizationId: org }),
          ...(status && { state: status }),
          ...(before !== undefined && { before }),
        });
        const { data, nextCursor } = cutPage(rows, limit, ({ id }) => id);
        const reader = {
          locale: DEFAULT_LOCALE,
          timeZone: DEFAULT_TIME_ZONE,
          now: parts.clock.now(),
        };
        return {
          data: data.map((job) => ({
            organizationId: job.organizationId,
            ...toJobView(job, reader),
          })),
          nextCursor,
        };
      },
    );
  };
}
