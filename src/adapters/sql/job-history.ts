// Events, attempts and results of jobs on either SQL store: the reading port, and what a move writes of them.

import type { Kysely, Selectable, Transaction } from 'kysely';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Job, JobResult } from '../../jobs/job.ts';
import type {
  JobAttempt,
  JobEvent,
  JobEventType,
  JobHistory,
  NewJobEvent,
} from '../../jobs/job-history.ts';
import type { AttemptEnd, AttemptStart } from '../../jobs/job-store.ts';
import type { JobOwner, JobProgress } from './job-progress.ts';
import { fromJson } from './job-row.ts';
import type { JobAttemptsTable, JobEventsTable, Schema } from './schema.ts';
import { toNumber, toOptionalNumber } from './sql-dialect.ts';

export function createJobHistory(db: Kysely<Schema>, progress?: JobProgress): JobHistory {
  return {
    async events(jobId, { after = 0, limit }) {
      const rows = await db
        .selectFrom('job_events')
        .selectAll()
        .where('job_id', '=', jobId)
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(limit)
        .execute();
      return rows.map(toEvent);
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
    async result(jobId) {
      const row = await db
        .selectFrom('job_results')
        .select('result')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return row && (fromJson(row.result) as JobResult);
    },
    async savePartial(jobId, run, output) {
      // PostgreSQL's text cannot hold NUL.
      const text = output.replaceAll('\u0000', '');
      if (!progress) return db.transaction().execute((trx) => keepPartial(trx, jobId, run, text));
      const told = await progress.orWithout((isTold) =>
        db.transaction().execute(async (trx) => {
          const owner = isTold ? await tellPartial(trx, progress, { jobId, run, text }) : undefined;
          await keepPartial(trx, jobId, run, text);
          return owner;
        }),
      );
      if (told) progress.outputTold(told);
    },
  };
}

async function keepPartial(
  trx: Transaction<Schema>,
  jobId: string,
  run: number,
  text: string,
): Promise<void> {
  await trx
    .updateTable('job_attempts')
    .set({ partial_output: text })
    .where('job_id', '=', jobId)
    .where('run', '=', run)
    .execute();
}

/** Only what is new since the last time: the events together are the output, and do not grow with its square. */
async function tellPartial(
  trx: Transaction<Schema>,
  progress: JobProgress,
  { jobId, run, text }: { readonly jobId: string; readonly run: number; readonly text: string },
): Promise<JobOwner | undefined> {
  const row = await trx
    .selectFrom('job_attempts')
    .innerJoin('jobs', 'jobs.id', 'job_attempts.job_id')
    .select(['organization_id', 'public_id', 'user_id', 'partial_output'])
    .where('job_attempts.job_id', '=', jobId)
    .where('job_attempts.run', '=', run)
    .executeTakeFirst();
  if (!row) return undefined;
  const known = row.partial_output ?? '';
  const added = text.startsWith(known) ? text.slice(known.length) : text;
  const { organization_id: organizationId, public_id: publicId, user_id: userId } = row;
  const job = { organizationId, publicId, userId: userId ?? undefined };
  if (added === '') return undefined;
  await progress.insertOutput(trx, job, added);
  return job;
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

/** The fence lets one success through; a job that succeeds after a dead-letter retry never had a result. */
export async function saveResult(
  trx: Transaction<Schema>,
  jobId: string,
  result: JobResult,
): Promise<void> {
  await trx
    .insertInto('job_results')
    .values({ job_id: jobId, result: JSON.stringify(result) })
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
