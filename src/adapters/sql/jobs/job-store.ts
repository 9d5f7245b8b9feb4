// Jobs on either SQL store. A move is an UPDATE guarded by the fence; only if it updates its row is the rest of the move
// written, in the same transaction. The consumers of the queues are notified after the commit.

import { type Kysely, sql, type Transaction, type Updateable } from 'kysely';
import type { Job } from '../../../jobs/model/job.ts';
import type { JobMessage } from '../../../jobs/model/job-message.ts';
import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import type { OutboxMessage } from '../../../jobs/ports/job-queue.ts';
import type { JobMove, JobStore, JobTouch, StalledJobs } from '../../../jobs/ports/job-store.ts';
import { turnAfter } from '../../../kernel/next-turn.ts';
import { enqueueAll } from '../queue/enqueue.ts';
import type { QueueSignals } from '../queue/queue-signals.ts';
import type { JobsTable, Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { addDeadLetter } from './dead-letter-store.ts';
import { finishAttempt, insertEvents, startAttempt } from './job-history.ts';
import { jobPage } from './job-page.ts';
import type { JobProgress, MoveProgress } from './job-progress.ts';
import { resultTextOf, saveResult } from './job-result.ts';
import { toChangedColumns, toJob, toJobRow } from './job-row.ts';
import { fromStoredText, toStoredText } from './stored-message.ts';

export type JobStoreParts = {
  readonly db: Kysely<Schema>;
  readonly signals: QueueSignals;
  /** Called after a job was created or moved, to wake live readers. */
  readonly onChanged?: (job: Job) => void;
  /** Writes the build events of each job; absent where there are none. */
  readonly progress?: JobProgress;
};

export const SUBMITTED: readonly NewJobEvent[] = [{ type: 'submitted' }];

export function createJobStore(parts: JobStoreParts): JobStore {
  const { db, signals, onChanged, progress } = parts;

  function notify(job: Job, outbox: readonly OutboxMessage[]): void {
    for (const { queue } of outbox) signals.notify(queue);
    onChanged?.(job);
  }

  return {
    async create(job, message, outbox = [], events = SUBMITTED) {
      const submitted = { events, at: job.createdAt };
      const text = toStoredText(message);
      await turnAfter(text.length);
      const isNew = await writeWithProgress(parts, async (trx, withProgress) => {
        const isInserted = await insertJob(trx, job, { text, outbox, events });
        if (isInserted && withProgress) await progress?.insert(trx, job, submitted);
        return isInserted;
      });
      if (isNew) {
        notify(job, outbox);
        return { job, isNew };
      }
      const { organizationId, publicId } = job;
      const known = await jobsBy(db, { organizationId, publicId }).executeTakeFirstOrThrow();
      return { job: toJob(known), isNew };
    },
    async find(key) {
      const row = await jobsBy(db, key).executeTakeFirst();
      return row && toJob(row);
    },
    async findWithMessage(jobId) {
      const row = await db
        .selectFrom('jobs')
        .leftJoin('job_payloads', 'job_payloads.job_id', 'jobs.id')
        .selectAll('jobs')
        .select('job_payloads.message')
        .where('jobs.id', '=', jobId)
        .executeTakeFirst();
      return row && { job: toJob(row), message: await readStored(row.message ?? '{}') };
    },
    async message(jobId) {
      const row = await db
        .selectFrom('job_payloads')
        .select('message')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return row && readStored(row.message);
    },
    list: async (page) => (await jobPage(db, page).execute()).map(toJob),
    async move(move) {
      const result = await resultTextOf(move);
      const moved = await writeWithProgress(parts, async (trx, withProgress) => {
        const written = await writeMove(trx, move, result);
        if (written && withProgress) await progress?.insert(trx, written, moveProgress(move));
        return written;
      });
      if (moved) notify(moved, move.outbox ?? []);
      return moved;
    },
    async touch(jobId, fence, change) {
      const row = await db
        .updateTable('jobs')
        .set(touchedColumns(change))
        .where('id', '=', jobId)
        .where('fence', '=', fence)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    stalled: async (query) => (await stalledJobs(db, query).execute()).map(toJob),
  };
}

/** Yields to the event loop between reading, parsing and using a large message. */
async function readStored(text: string): Promise<JobMessage> {
  await turnAfter(text.length);
  const message = fromStoredText(text);
  await turnAfter(text.length);
  return message;
}

function touchedColumns(change: JobTouch): Updateable<JobsTable> {
  if ('leaseUntil' in change) return { lease_until: change.leaseUntil };
  const published = { published_at: change.publishedAt };
  if (!('takenOverTo' in change)) return published;
  return { ...published, queue: change.takenOverTo, lease_owner: null, lease_until: null };
}

/** At the start of a store's sole process no job can be running: every lease ends, and the sweeper requeues its job. */
export async function endAllJobLeases(db: Kysely<Schema>, now: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_until: now })
    .where(sql<boolean>`state = 'running'`)
    .where('lease_until', '>', now)
    .execute();
}

function moveProgress({ events, at, deadLetter }: JobMove): MoveProgress {
  return { events, at, internalMessage: deadLetter?.errorMessage };
}

function writeWithProgress<T>(
  { db, progress }: JobStoreParts,
  write: (trx: Transaction<Schema>, withProgress: boolean) => Promise<T>,
): Promise<T> {
  if (!progress) return db.transaction().execute((trx) => write(trx, false));
  return progress.orWithoutProgress((withProgress) =>
    db.transaction().execute((trx) => write(trx, withProgress)),
  );
}

type NewRows = {
  /** The message, as it is stored. */
  readonly text: string;
  readonly outbox: readonly OutboxMessage[];
  readonly events: readonly NewJobEvent[];
};

async function insertJob(
  trx: Transaction<Schema>,
  job: Job,
  { text, outbox, events }: NewRows,
): Promise<boolean> {
  const inserted = await trx
    .insertInto('jobs')
    .values(toJobRow(job, events.length))
    .onConflict((conflict) => conflict.columns(['organization_id', 'public_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return false;
  await trx.insertInto('job_payloads').values({ job_id: job.id, message: text }).execute();
  // Yields to the event loop: the embedded store writes a large text into its cache here and to the disk at the commit.
  await turnAfter(text.length);
  await insertEvents(trx, job.id, 0, events, job.createdAt);
  await enqueueAll(trx, outbox, job.createdAt);
  return true;
}

async function writeMove(
  trx: Transaction<Schema>,
  move: JobMove,
  result: string | undefined,
): Promise<Job | undefined> {
  const row = await trx
    .updateTable('jobs')
    .set({
      ...toChangedColumns(move.change),
      state: move.to,
      fence: move.fence + 1,
      event_count: sql<number>`event_count + ${move.events.length}`,
      published_at: move.at,
      updated_at: move.at,
    })
    .where('id', '=', move.jobId)
    .where('fence', '=', move.fence)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const job = toJob(row);
  const eventsBefore = toNumber(row.event_count) - move.events.length;
  await insertEvents(trx, job.id, eventsBefore, move.events, move.at);
  if (move.attemptStart) await startAttempt(trx, job, move.attemptStart);
  if (move.attemptEnd) await finishAttempt(trx, job.id, move.attemptEnd);
  if (result !== undefined) await saveResult(trx, job.id, result);
  if (move.deadLetter) await addDeadLetter(trx, move.deadLetter);
  await enqueueAll(trx, move.outbox ?? [], move.at);
  return job;
}

function jobsBy(db: Kysely<Schema>, key: Parameters<JobStore['find']>[0]) {
  const jobs = db.selectFrom('jobs').selectAll();
  if ('id' in key) return jobs.where('id', '=', key.id);
  return jobs
    .where('organization_id', '=', key.organizationId)
    .where('public_id', '=', key.publicId);
}

/** The states are literals in the SQL, because only then are the partial indexes used. */
function stalledJobs(db: Kysely<Schema>, { kind, before, limit, after }: StalledJobs) {
  const jobs = db.selectFrom('jobs').selectAll().limit(limit);
  if (kind === 'unleased')
    return jobs
      .where(sql<boolean>`state = 'running'`)
      .where('lease_until', '<=', before)
      .orderBy('lease_until');
  // A waiting job with a lease owner is handed over: its message may be with another system.
  const waiting = jobs
    .where(sql<boolean>`state in ('queued', 'delayed')`)
    .where('lease_owner', 'is', null);
  if (kind === 'overdue')
    return waiting
      .where('deadline_at', 'is not', null)
      .where('deadline_at', '<=', before)
      .orderBy('deadline_at');
  const due = waiting
    .where('run_at', '<=', before)
    .where('published_at', '<=', before)
    .orderBy('run_at')
    .orderBy('id');
  return after ? due.where(sql<boolean>`(run_at, id) > (${after.runAt}, ${after.id})`) : due;
}
