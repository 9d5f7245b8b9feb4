// Many jobs handed in, or moved, by one statement: what belongs to a job is made from the row that was written for it,
// so that one whose public id is known, or that had moved on, writes nothing at all. Each job is in it once: parts of
// one statement do not see each other's rows, and must not touch the same one.

import type { Job } from '../../jobs/job.ts';
import type { NewJobEvent } from '../../jobs/job-history.ts';
import type { Announcement } from '../../jobs/job-queue.ts';
import type { AttemptEnd, AttemptStart, JobMove } from '../../jobs/job-store.ts';
import { toChangedColumns, toJobRow } from '../sql/job-row.ts';
import { toldBy } from '../sql/job-store.ts';
import { JOB_COLUMNS } from './job-columns.ts';
import { addProgress } from './job-progress-statement.ts';
import { announce } from './queue-statement.ts';
import { StatementText } from './statement-text.ts';

/** A job with all that is written with it; the message as it is kept. */
export type NewJobRows = {
  readonly job: Job;
  readonly message: string;
  readonly announced: readonly Announcement[];
  readonly events: readonly NewJobEvent[];
};

/** A move, and its result as it is kept. */
export type MoveRows = { readonly move: JobMove; readonly result: string | undefined };

/** The ids of those that were new are the part `created`. */
export function creation(asked: readonly NewJobRows[], isTold: boolean): StatementText {
  const statement = new StatementText();
  const jobs = asked.map(({ job, events }) => toJobRow(job, events.length));
  statement.part(
    'created',
    `insert into jobs (${JOB_COLUMNS})
     select ${JOB_COLUMNS} from ${statement.recordsOf('jobs', jobs)} order by organization_id, public_id
     on conflict (organization_id, public_id) do nothing
     returning id, organization_id, public_id, user_id, event_count`,
  );
  const payloads = asked.map(({ job, message }) => ({ of_job: job.id, message }));
  statement.part(
    'payload',
    `insert into job_payloads (job_id, message) select id, message
     from created join ${statement.rows(payloads, 'payload (of_job text, message text)')} on of_job = id`,
  );
  const told = asked.map(({ job, events }) => ({ jobId: job.id, events, at: job.createdAt }));
  addEvents(statement, 'created', told);
  announce(
    statement,
    'created',
    asked.flatMap(({ job, announced }) =>
      announced.map((each) => ({ ...each, jobId: job.id, at: job.createdAt })),
    ),
  );
  if (isTold) addProgress(statement, 'created', told);
  return statement;
}

/**
 * Those that were moved are the part `moved`, as they are now. Their ids are said once more as a list, whose length the
 * planner can see: what it believes of JSON would make it read whole tables.
 */
export function movement(asked: readonly MoveRows[], isTold: boolean): StatementText {
  const statement = new StatementText();
  const moves = asked.map(({ move }) => move);
  const isOneOfThem = `= any(${statement.value(moves.map(({ jobId }) => jobId))}::text[])`;
  statement.part(
    'moved',
    `update jobs set state = to_state, fence = fence + 1, event_count = event_count + event_rows,
       published_at = moved_at, updated_at = moved_at,
       (${CHANGEABLE}) = (select ${CHANGEABLE} from json_populate_record(jobs, change))
     from ${statement.rows(moves.map(toMoveRow).toSorted(byJob), MOVE)}
     where id = of_job and fence = seen_fence and id ${isOneOfThem}
     returning ${JOB_COLUMNS}`,
  );
  addEvents(statement, 'moved', moves);
  addAttemptStarts(statement, moves);
  addAttemptEnds(statement, moves, isOneOfThem);
  addResults(statement, asked);
  announce(
    statement,
    'moved',
    moves.flatMap(({ jobId, at, announce: announced = [] }) =>
      announced.map((each) => ({ ...each, jobId, at })),
    ),
  );
  if (isTold)
    addProgress(
      statement,
      'moved',
      moves.map((move) => ({ ...toldBy(move), jobId: move.jobId })),
    );
  return statement;
}

const CHANGEABLE = Object.keys(toChangedColumns({})).join(', ');
const MOVE = `move (of_job text, seen_fence bigint, to_state text, moved_at bigint, event_rows integer, change json)`;

function toMoveRow({ jobId, fence, to, at, events, change }: JobMove) {
  return {
    of_job: jobId,
    seen_fence: fence,
    to_state: to,
    moved_at: at,
    event_rows: events.length,
    // What a move does not mention is left out, and so stays as it is.
    change: toChangedColumns(change),
  };
}

/** Rows are locked in this order, so that two writers of several jobs do not wait for each other. */
function byJob(a: { readonly of_job: string }, b: { readonly of_job: string }): number {
  return a.of_job < b.of_job ? -1 : 1;
}

function addEvents(
  statement: StatementText,
  from: string,
  told: readonly Pick<JobMove, 'jobId' | 'events' | 'at'>[],
): void {
  const rows = told.flatMap(({ jobId, events, at }) =>
    events.map(({ type, data }, index) => ({
      of_job: jobId,
      behind: events.length - 1 - index,
      type,
      data: data === undefined ? null : JSON.stringify(data),
      at,
    })),
  );
  if (rows.length === 0) return;
  const naming = 'event (of_job text, behind integer, type text, data text, at bigint)';
  statement.part(
    'told',
    `insert into job_events (job_id, sequence, type, data, created_at)
     select id, event_count - behind, type, data, at
     from ${from} join ${statement.rows(rows, naming)} on of_job = id`,
  );
}

function addAttemptStarts(statement: StatementText, moves: readonly JobMove[]): void {
  const rows = moves.flatMap(({ jobId, attemptStart }) =>
    attemptStart ? toStartRow(jobId, attemptStart) : [],
  );
  if (rows.length === 0) return;
  const naming = `start (of_job text, this_run integer, attempt integer, worker_id text, begun_at bigint)`;
  statement.part(
    'attempt_start',
    `insert into job_attempts (job_id, run, attempt, provider, model, worker_id, started_at)
     select id, this_run, attempt, provider, model, worker_id, begun_at
     from moved join ${statement.rows(rows, naming)} on of_job = id`,
  );
}

function toStartRow(jobId: string, { run, attempt, workerId, startedAt }: AttemptStart) {
  return { of_job: jobId, this_run: run, attempt, worker_id: workerId, begun_at: startedAt };
}

function addAttemptEnds(
  statement: StatementText,
  moves: readonly JobMove[],
  isOneOfThem: string,
): void {
  const rows = moves.flatMap(({ jobId, attemptEnd }) =>
    attemptEnd ? toEndRow(jobId, attemptEnd) : [],
  );
  if (rows.length === 0) return;
  const naming = `ending (of_job text, this_run integer, came_out text, code text, cost bigint, ended_at bigint)`;
  statement.part(
    'attempt_end',
    `update job_attempts set outcome = came_out, error_code = code, cost_nanos = cost, finished_at = ended_at
     from moved join ${statement.rows(rows, naming)} on of_job = moved.id
     where job_attempts.job_id = moved.id and job_attempts.run = this_run and job_attempts.job_id ${isOneOfThem}`,
  );
}

function toEndRow(jobId: string, end: AttemptEnd) {
  return {
    of_job: jobId,
    this_run: end.run,
    came_out: end.outcome,
    code: end.errorCode,
    cost: end.costNanos,
    ended_at: end.finishedAt,
  };
}

function addResults(statement: StatementText, asked: readonly MoveRows[]): void {
  const rows = asked.flatMap(({ move, result }) =>
    result === undefined ? [] : { of_job: move.jobId, result },
  );
  if (rows.length === 0) return;
  statement.part(
    'result',
    `insert into job_results (job_id, result) select id, result
     from moved join ${statement.rows(rows, 'outcome (of_job text, result text)')} on of_job = id`,
  );
}
