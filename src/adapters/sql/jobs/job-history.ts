// Events, attempts and results of jobs on either SQL store: the reading port, and the rows that a move writes.

import {
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { Job } from '../../../jobs/model/job.ts';
import type {
  JobAttempt,
  JobEvent,
  JobEventType,
  JobHistory,
  NewJobEvent,
} from '../../../jobs/ports/job-history.ts';
import type { AttemptEnd, AttemptStart } from '../../../jobs/ports/job-store.ts';
import type { JobAttemptsTable, JobEventsTable, Schema } from '../schema.ts';
import { toNumber, toOptionalNumber } from '../sql-dialect.ts';
import type { JobOwner, JobProgress } from './job-progress.ts';
import { createResultReader } from './job-result.ts';
import { fromJson } from './job-row.ts';

export function createJobHistory(db: Kysely<Schema>, progress?: JobProgress): JobHistory {
  return {
    async events(jobId, { after = 0, limit, maxBytes }) {
      const page = db
        .selectFrom('job_events')
        .where('job_id', '=', jobId)
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(limit);
      const whole = maxBytes === undefined ? page : upTo(db, page, maxBytes);
      return (await whole.selectAll().execute()).map(toEvent);
    },
    async attempts(jobId) {
      const rows = await db
        .selectFrom('job_attempts')
        .selectAll()
        .where('job_id', '=', jobId)
        .orderBy('run')
        .execute();
      return rows.map(toAttempt);
    },
    result: createResultReader(db),
    async savePartial(jobId, run, output, at) {
      // PostgreSQL's text cannot contain NUL.
      const partial = { jobId, run, text: output.replaceAll('\u0000', ''), at };
      const write = (used: JobProgress | undefined) =>
        db.transaction().execute((trx) => writePartial(trx, used, partial));
      if (!progress) return void (await write(undefined));
      const owner = await progress.orWithoutProgress((withProgress) =>
        write(withProgress ? progress : undefined),
      );
      if (owner) progress.outputCommitted(owner);
    },
  };
}

type EventPage = SelectQueryBuilder<Schema, 'job_events', object>;

/**
 * The rows of a page before which fewer bytes were read: an event may hold kilobytes of a job's output. The sizes are summed
 * without the texts, which the embedded store would copy.
 */
function upTo(db: Kysely<Schema>, page: EventPage, maxBytes: number): EventPage {
  const sizes = page
    .select('sequence')
    .select(sql<number>`coalesce(octet_length(data), 0)`.as('bytes'));
  const sums = db
    .selectFrom(sizes.as('sizes'))
    .select('sequence')
    .select(sql<number>`sum(bytes) over (order by sequence) - bytes`.as('bytes_before'));
  const last = db
    .selectFrom(sums.as('sums'))
    .select((eb) => eb.fn.max('sequence').as('last'))
    .where('bytes_before', '<', maxBytes);
  return page.where('sequence', '<=', last);
}

type PartialOutput = {
  readonly jobId: string;
  readonly run: number;
  readonly text: string;
  readonly at: number;
};

/** The event holds only the new part: storing the whole output each time would grow quadratically. */
async function writePartial(
  trx: Transaction<Schema>,
  progress: JobProgress | undefined,
  partial: PartialOutput,
): Promise<JobOwner | undefined> {
  const { jobId, run, text } = partial;
  const row = await trx
    .selectFrom('job_attempts')
    .select('partial_output')
    .where('job_id', '=', jobId)
    .where('run', '=', run)
    .executeTakeFirst();
  const known = row?.partial_output ?? '';
  const added = text.startsWith(known) ? text.slice(known.length) : text;
  if (!row || added === '') return undefined;
  // Locks the job before its attempt, as moves do, so that the two cannot deadlock.
  const owner = await insertOutputEvents(trx, progress, partial, added);
  await trx
    .updateTable('job_attempts')
    .set({ partial_output: text })
    .where('job_id', '=', jobId)
    .where('run', '=', run)
    .execute();
  return owner;
}

/** A larger part becomes several events, so that a live reader holds little of it at once. */
const MAX_OUTPUT_CHARACTERS = 32 * 1024;

/** Undefined if the job has moved on from this run. */
async function insertOutputEvents(
  trx: Transaction<Schema>,
  progress: JobProgress | undefined,
  { jobId, run, at }: PartialOutput,
  output: string,
): Promise<JobOwner | undefined> {
  const parts = partsOf(output);
  const row = await trx
    .updateTable('jobs')
    .set({ event_count: sql<number>`event_count + ${parts.length}` })
    .where('id', '=', jobId)
    .where('run', '=', run)
    .where('state', '=', 'running')
    .returning(['organization_id', 'public_id', 'user_id', 'event_count'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { organization_id: organizationId, public_id: publicId, user_id: userId } = row;
  const eventsBefore = toNumber(row.event_count) - parts.length;
  const events = parts.map((part) => ({ type: 'output', data: { output: part } }) as const);
  await insertEvents(trx, jobId, eventsBefore, events, at);
  const job = { organizationId, publicId, userId: userId ?? undefined };
  for (const part of parts) await progress?.insertOutput(trx, job, part);
  return job;
}

/** No part ends between the two halves of a character. */
function partsOf(output: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < output.length; ) {
    let end = start + MAX_OUTPUT_CHARACTERS;
    if (isLowSurrogate(output.charCodeAt(end))) end -= 1;
    parts.push(output.slice(start, end));
    start = end;
  }
  return parts;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

export async function insertEvents(
  trx: Transaction<Schema>,
  jobId: string,
  eventsBefore: number,
  events: readonly NewJobEvent[],
  createdAt: number,
): Promise<void> {
  const rows = events.map(({ type, data }, index) => ({
    job_id: jobId,
    sequence: eventsBefore + index + 1,
    type,
    data: data === undefined ? null : JSON.stringify(data),
    created_at: createdAt,
  }));
  if (rows.length > 0) await trx.insertInto('job_events').values(rows).execute();
}

export async function startAttempt(
  trx: Transaction<Schema>,
  job: Job,
  start: AttemptStart,
): Promise<void> {
  await trx
    .insertInto('job_attempts')
    .values({
      job_id: job.id,
      run: start.run,
      attempt: start.attempt,
      provider: job.provider ?? null,
      model: job.model ?? null,
      worker_id: start.workerId,
      outcome: null,
      error_code: null,
      cost_nanos: null,
      partial_output: null,
      started_at: start.startedAt,
      finished_at: null,
    })
    .execute();
}

export async function finishAttempt(
  trx: Transaction<Schema>,
  jobId: string,
  end: AttemptEnd,
): Promise<void> {
  await trx
    .updateTable('job_attempts')
    .set({
      outcome: end.outcome,
      error_code: end.errorCode ?? null,
      cost_nanos: end.costNanos ?? null,
      finished_at: end.finishedAt,
    })
    .where('job_id', '=', jobId)
    .where('run', '=', end.run)
    .execute();
}

function toEvent(row: Selectable<JobEventsTable>): JobEvent {
  const data = fromJson(row.data) as NewJobEvent['data'];
  return {
    sequence: toNumber(row.sequence),
    type: row.type as JobEventType,
    ...(data && { data }),
    createdAt: toNumber(row.created_at),
  };
}

function toAttempt(row: Selectable<JobAttemptsTable>): JobAttempt {
  return {
    run: toNumber(row.run),
    attempt: toNumber(row.attempt),
    outcome: row.outcome ?? undefined,
    errorCode: (row.error_code as ErrorCode | null) ?? undefined,
    costNanos: toOptionalNumber(row.cost_nanos),
    partialOutput: row.partial_output ?? undefined,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    workerId: row.worker_id ?? undefined,
    startedAt: toNumber(row.started_at),
    finishedAt: toOptionalNumber(row.finished_at),
  };
}
