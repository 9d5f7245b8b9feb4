// GET /admin/jobs: the jobs of one organisation or of all, for operators: the caller's view plus the organisation, the chosen
// provider and the due time, without results, which belong to the caller. The list of all organisations in one state is read
// through bounded windows, so that it costs the same with a million jobs. A page ends early where metadata are large.

import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { DEFAULT_LOCALE, DEFAULT_TIME_ZONE } from '../../errors/locale.ts';
import type { Job } from '../../jobs/model/job.ts';
import { isWaiting, JOB_STATES } from '../../jobs/model/job-state.ts';
import { toJobView } from '../../jobs/model/job-view.ts';
import type { JobFigures } from '../../jobs/ports/job-figures.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { pageQuery, readCursor, readonlyPageOf, writeCursor } from '../paging.ts';
import { adminGuard, adminSchema, moment, organizationId } from '../schemas/admin.ts';
import { plainAnswer } from '../schemas/documented.ts';
import { jobView } from '../schemas/job.ts';
import { MAX_PAGE_BYTES, readJobPage } from './jobs.ts';

export type AdminJobRouteParts = {
  readonly jobs: Pick<JobStore, 'list'>;
  readonly figures: Pick<JobFigures, 'list'>;
  readonly requireOrganization: (id: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'requireAdmin'>;
};

export const jobListQuery = z.object({
  org: organizationId.optional(),
  status: z.enum(JOB_STATES).optional(),
  ...pageQuery,
});

const adminJobView = jobView.extend({
  organizationId: z.string(),
  jobId: z.string().describe("Spillway's id: the key of GET /admin/jobs/{jobId}"),
  queue: z.string(),
  assignedProvider: z.string().nullable().describe('null before the dispatcher has chosen'),
  assignedModel: z.string().nullable(),
  dueAt: moment.nullable().describe('The due time of a waiting job'),
});

export function adminJobRoutes(parts: AdminJobRouteParts): RegisterRoutes {
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/admin/jobs',
      {
        ...adminGuard(parts.gate),
        ...plainAnswer,
        schema: adminSchema(
          'Jobs of one organisation or of all, newest first; waiting jobs of all by due time',
          { querystring: jobListQuery, response: { 200: readonlyPageOf(adminJobView) } },
        ),
      },
      async ({ query }) => {
        const { jobs, nextCursor } = await readPage(parts, query);
        const now = parts.clock.now();
        return { data: jobs.map((job) => toAdminJobView(job, now)), nextCursor };
      },
    );
  };
}

async function readPage(
  { jobs, figures, requireOrganization }: AdminJobRouteParts,
  { org, status, limit, cursor }: z.infer<typeof jobListQuery>,
): Promise<{ jobs: readonly Job[]; nextCursor: string | null }> {
  const before = readCursor(cursor);
  if (org === undefined && status !== undefined) {
    const page = await figures.list({ state: status, before, limit, maxBytes: MAX_PAGE_BYTES });
    return { jobs: page.jobs, nextCursor: cursorTo(page.next) };
  }
  if (org !== undefined) await requireOrganization(org);
  const { found, next } = await readJobPage(jobs, {
    limit,
    ...(org !== undefined && { organizationId: org }),
    ...(status && { state: status }),
    ...(before !== undefined && { before }),
  });
  return { jobs: found, nextCursor: cursorTo(next) };
}

function cursorTo(next: string | undefined): string | null {
  return next === undefined ? null : writeCursor(next);
}

export function toAdminJobView(job: Job, now: number) {
  const reader = { locale: DEFAULT_LOCALE, timeZone: DEFAULT_TIME_ZONE, now };
  return {
    organizationId: job.organizationId,
    jobId: job.id,
    queue: job.queue,
    assignedProvider: job.provider ?? null,
    assignedModel: job.model ?? null,
    dueAt: isWaiting(job.state) ? job.runAt : null,
    ...toJobView(job, reader),
  };
}
