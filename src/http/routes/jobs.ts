// /v1/jobs for callers: submit, show, list, cancel; job-events.ts has the events. Jobs of other organisations are not
// found.

import type { FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Principal } from '../../admission/principal.ts';
import { pickLocale, pickTimeZone } from '../../errors/locale.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { AdmitJob } from '../../flow/jobs/admit-job.ts';
import { readLabel } from '../../flow/serve/native-request.ts';
import type { OwnReads } from '../../flow/serve/own-reads.ts';
import type { SubmitJob } from '../../jobs/intake/submit-job.ts';
import type { Job } from '../../jobs/model/job.ts';
import type { JobEstimate } from '../../jobs/model/job-estimate.ts';
import { jobMessageBody, parseJobMessage } from '../../jobs/model/job-message.ts';
import { JOB_STATES } from '../../jobs/model/job-state.ts';
import {
  type JobDetails,
  type JobReader,
  toJobView,
  toReceipt,
} from '../../jobs/model/job-view.ts';
import { isWrittenJson, writeWithResponse } from '../../jobs/model/written-json.ts';
import type { CancelJob } from '../../jobs/pipeline/cancel-job.ts';
import type { JobHistory } from '../../jobs/ports/job-history.ts';
import type { JobKey, JobPage, JobStore } from '../../jobs/ports/job-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import { type Gate, scopeGuard } from '../authenticate.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { readonlyPageOf } from '../paging.ts';
import { namingValidator, printable, rowId } from '../schemas/admin.ts';
import { bodyParsedByHandler, plainAnswer } from '../schemas/documented.ts';
import { jobView, receiptView } from '../schemas/job.ts';

export type JobRouteParts = {
  readonly operations: {
    readonly submit: SubmitJob;
    readonly cancel: CancelJob;
    readonly estimate: (job: Job) => Promise<JobEstimate>;
  };
  readonly jobs: JobStore;
  readonly history: JobHistory;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly admit: AdmitJob;
  readonly reads: OwnReads;
};

const PAGE = 50;
/** Reading and writing a page of this size takes a few milliseconds; metadata have kilobytes. */
export const MAX_PAGE_BYTES = 256 * 1024;

const jobPath = z.object({ id: printable(200) });
const listQuery = z.object({
  status: z.enum(JOB_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(PAGE),
  cursor: rowId.optional(),
});

export function jobRoutes(parts: JobRouteParts): RegisterRoutes {
  const { operations, jobs, gate, reads } = parts;
  const guard = scopeGuard(gate, 'jobs');
  return (untyped) => {
    const app = untyped.withTypeProvider<ZodTypeProvider>();
    const documented = (summary: string) => ({ summary, tags: ['Jobs'], security: [{ key: [] }] });

    app.post(
      '/v1/jobs',
      {
        ...guard,
        ...plainAnswer,
        validatorCompiler: bodyParsedByHandler,
        schema: {
          ...documented('Submit a job'),
          body: jobMessageBody,
          response: { 202: receiptView.describe('The job is stored') },
        },
      },
      async (request, reply) => {
        const principal = await gate.requireScope(request, 'jobs');
        // Validation comes before admission: an invalid job must not count against a limit.
        const message = parseJobMessage(request.body);
        const { job } = await parts.admit({ principal, requestId: request.id, message }, () =>
          operations.submit(request.body, submitterOf(request, principal)),
        );
        reply.header('location', `/v1/jobs/${encodeURIComponent(job.publicId)}`);
        return reply.code(202).send(toReceipt(job, await operations.estimate(job)));
      },
    );

    app.get(
      '/v1/jobs',
      {
        ...plainAnswer,
        validatorCompiler: namingValidator,
        schema: {
          ...documented('List jobs, newest first'),
          querystring: listQuery,
          response: { 200: readonlyPageOf(jobView) },
        },
      },
      async (request) => {
        const { organizationId, ...reader } = await readerOf(parts, request);
        const { status, limit, cursor } = request.query;
        const page = {
          organizationId,
          limit,
          ...(status && { state: status }),
          ...(cursor && { before: cursor }),
        };
        return reads(organizationId, async () => {
          const { found, next } = await readJobPage(jobs, page);
          return { data: found.map((job) => toJobView(job, reader)), nextCursor: next ?? null };
        });
      },
    );

    app.get(
      '/v1/jobs/:id',
      {
        ...plainAnswer,
        validatorCompiler: namingValidator,
        schema: { ...documented('One job'), params: jobPath, response: { 200: jobView } },
      },
      async (request, reply) => {
        const { organizationId, ...reader } = await readerOf(parts, request);
        const key = { organizationId, publicId: request.params.id };
        const { job, details } = await reads(organizationId, () => readJob(parts, key));
        const view = toJobView(job, reader, details);
        const response = details.result?.response;
        if (isWrittenJson(response)) {
          await turnAfter(response.writtenJson.length);
          reply.serializer(() => writeWithResponse(view, response));
        }
        return reply.send(view);
      },
    );

    app.delete(
      '/v1/jobs/:id',
      {
        ...plainAnswer,
        validatorCompiler: namingValidator,
        schema: { ...documented('Cancel a job'), params: jobPath, response: { 200: jobView } },
      },
      async (request) => {
        const { organizationId, ...reader } = await readerOf(parts, request);
        return toJobView(found(await operations.cancel(organizationId, request.params.id)), reader);
      },
    );
  };
}

function submitterOf(request: FastifyRequest, principal: Principal): Parameters<SubmitJob>[1] {
  const traceParent = request.headers['traceparent'];
  return {
    organizationId: principal.organizationId,
    keyId: principal.keyId,
    userId: readLabel(request.headers['x-user-id']),
    category: readLabel(request.headers['x-category']),
    requestId: request.id,
    locale: pickLocale(request.headers['accept-language'], principal.locale),
    timeZone: pickTimeZone(request.headers['x-time-zone'], principal.timeZone),
    traceParent: typeof traceParent === 'string' ? traceParent.slice(0, 100) : undefined,
  };
}

async function readerOf(
  { gate, clock }: JobRouteParts,
  request: FastifyRequest,
): Promise<JobReader & { readonly organizationId: string }> {
  const principal = await gate.requireScope(request, 'jobs');
  return {
    organizationId: principal.organizationId,
    locale: pickLocale(request.headers['accept-language'], principal.locale),
    timeZone: pickTimeZone(request.headers['x-time-zone'], principal.timeZone),
    now: clock.now(),
    overrides: principal.messages,
  };
}

async function readJob(
  { operations, jobs, history }: JobRouteParts,
  key: JobKey,
): Promise<{ readonly job: Job; readonly details: JobDetails }> {
  const job = found(await jobs.find(key));
  const [estimate, result, attempts] = await Promise.all([
    operations.estimate(job),
    history.result(job.id),
    history.attempts(job.id),
  ]);
  return { job, details: { ...estimate, result, history: attempts } };
}

/** Up to `limit` jobs, and fewer where their metadata are large; `next` is the `before` of the next page. */
export async function readJobPage(
  { list }: Pick<JobStore, 'list'>,
  page: JobPage,
): Promise<{ readonly found: readonly Job[]; readonly next: string | undefined }> {
  const found = await list({ ...page, maxBytes: MAX_PAGE_BYTES });
  const last = found.at(-1);
  if (last === undefined) return { found, next: undefined };
  const following = await list({ ...page, before: last.id, limit: 1 });
  return { found, next: following.length > 0 ? last.id : undefined };
}

function found(job: Job | undefined): Job {
  if (job) return job;
  throw new SpillwayError('NOT_FOUND', 'no such job');
}
