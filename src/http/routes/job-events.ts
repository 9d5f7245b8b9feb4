// GET /v1/jobs/{id}/events: the events of a job as a list or as a live stream. A job is a build, too: its changes wake
// the stream; the stream ends with the job.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { type Followed, follow, hasEnded } from '../../events/follow-events.ts';
import type { BuildWatch } from '../../events/watch-builds.ts';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import type { Job } from '../../jobs/model/job.ts';
import { isFinal, isJobState } from '../../jobs/model/job-state.ts';
import { toEventView } from '../../jobs/model/job-view.ts';
import type { JobEvent, JobHistory } from '../../jobs/ports/job-history.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Gate } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { readonlyPageOf } from '../paging.ts';
import { namingValidator, noContent, printable, queryInteger } from '../schemas/admin.ts';
import { plainAnswer } from '../schemas/documented.ts';
import { jobEventView } from '../schemas/job.ts';
import { type LiveReplies, lastEventId, wantsStream } from '../sse-reply.ts';

export type JobEventRouteParts = {
  readonly jobs: Pick<JobStore, 'find'>;
  readonly history: Pick<JobHistory, 'events'>;
  readonly gate: Pick<Gate, 'requireScope'>;
  readonly reads: OwnReads;
  /** Absent without a listener (command line): only lists. */
  readonly following?: Following | undefined;
};

export type Following = {
  readonly watch: Pick<BuildWatch, 'watch'>;
  readonly live: LiveReplies;
  readonly clock: Clock;
};

const PAGE = 500;
/** Building a page of this size blocks the process for milliseconds; an event may hold megabytes of output. */
const MAX_PAGE_BYTES = 2 ** 20;
/** Small, because each reader holds a page in memory. */
const LIVE_PAGE = 20;
const MAX_LIVE_PAGE_BYTES = 64 * 1024;

const jobPath = z.object({ id: printable(200) });
const query = z.object({
  after: queryInteger(Number.MAX_SAFE_INTEGER).default(0),
});

export function jobEventRoutes(parts: JobEventRouteParts): RegisterRoutes {
  const { jobs, history, gate, reads, following } = parts;
  return (app) => {
    app.withTypeProvider<ZodTypeProvider>().get(
      '/v1/jobs/:id/events',
      {
        ...plainAnswer,
        validatorCompiler: namingValidator,
        schema: {
          summary: 'The events of a job; with `Accept: text/event-stream` as a live stream',
          tags: ['Jobs'],
          security: [{ key: [] }],
          params: jobPath,
          querystring: query,
          response: {
            200: readonlyPageOf(jobEventView),
            204: noContent.describe('A stream that has ended'),
          },
        },
      },
      async (request, reply) => {
        const { organizationId } = await gate.requireScope(request, 'jobs');
        const key = { organizationId, publicId: request.params.id };
        const job = await reads(organizationId, () => jobs.find(key));
        if (!job) throw new SpillwayError('NOT_FOUND', 'no such job');
        const { after } = request.query;
        if (following && wantsStream(request))
          return stream(parts, following, { request, reply, job, after });
        return reads(organizationId, () => readPage(history, job.id, after));
      },
    );
  };
}

/** Up to `PAGE` events, and fewer where they are large; the cursor is the `after` of the next page. */
async function readPage({ events }: JobEventRouteParts['history'], jobId: string, after: number) {
  const found = await events(jobId, { after, limit: PAGE, maxBytes: MAX_PAGE_BYTES });
  const data = found.map(toEventView);
  const last = found.at(-1);
  if (last === undefined) return { data, nextCursor: null };
  const [next] = await events(jobId, { after: last.sequence, limit: 1 });
  return { data, nextCursor: next ? String(last.sequence) : null };
}

type Reading = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly job: Job;
  readonly after: number;
};

async function stream(
  { history, gate, reads }: JobEventRouteParts,
  { watch, live, clock }: Following,
  { request, reply, job, ...from }: Reading,
): Promise<FastifyReply> {
  const { organizationId, publicId: buildId } = job;
  const source: Followed<JobEvent> = {
    read: (after) =>
      history.events(job.id, { after, limit: LIVE_PAGE, maxBytes: MAX_LIVE_PAGE_BYTES }),
    idOf: ({ sequence }) => sequence,
    isLast: ({ type }) => isJobState(type) && isFinal(type),
    watch: (wake) => watch.watch({ organizationId, buildId }, wake),
  };
  const after = lastEventId(request) ?? from.after;
  if (await reads(organizationId, () => hasEnded(source, after))) return reply.code(204).send();
  await live.answer(reply, {
    caller: organizationId,
    async *open(signal) {
      for await (const found of follow(source, { after, clock, signal })) {
        // Checked for every page: a revoked key must not receive further events.
        await gate.requireScope(request, 'jobs');
        yield found.map((event) => ({ id: event.sequence, data: toEventView(event) }));
      }
    },
  });
  return reply;
}
