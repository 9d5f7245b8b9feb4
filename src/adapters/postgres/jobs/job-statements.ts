// Many jobs handed in and moved by one statement, which calls the functions of the store (postgres/functions)
// with rows for all of them. Each job is in a statement once.

import type { Job } from '../../../jobs/model/job.ts';
import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import type { OutboxMessage } from '../../../jobs/ports/job-queue.ts';
import type { JobMove } from '../../../jobs/ports/job-store.ts';
import { toChangedColumns, toJobRow } from '../../sql/jobs/job-row.ts';
import { type CompositeValue, compositeArray, textArray } from '../statements/composite-array.ts';
import { LongTexts } from '../statements/long-texts.ts';
import { eventRows } from './job-rows.ts';
import { announcedWith, announcementRows, type JobOutboxMessage } from './queue-rows.ts';

/** A job with all that is written with it; the message as it is kept. */
export type NewJobRows = {
  readonly job: Job;
  readonly message: string;
  readonly events: readonly NewJobEvent[];
  readonly outbox: readonly OutboxMessage[];
};

/** A move, and its result as it is kept. */
export type MoveRows = { readonly move: JobMove; readonly result: string | undefined };

export type WriteRows = {
  readonly creations: readonly NewJobRows[];
  readonly moves: readonly MoveRows[];
};

/** What a statement answers: the ids of the jobs that were written. */
export type WrittenJobs = { readonly created?: string | null; readonly moved?: string | null };

/** The text of the statement, and its values. `withProgress`: whether the builds that jobs also are hear of it. */
export function writeStatement(
  { creations, moves }: WriteRows,
  withProgress: boolean,
): readonly [string, readonly unknown[]] {
  if (moves.length === 0) return [CREATE_JOBS, creationValues(creations, withProgress)];
  if (creations.length === 0) return [MOVE_JOBS, moveValues(moves, withProgress)];
  const values = [...creationValues(creations, withProgress), ...moveValues(moves, withProgress)];
  return [CREATE_AND_MOVE_JOBS, values];
}

const ANNOUNCED = ['job_message[]', 'job_message[]'];
const TEXTS = ['text', 'text'];
const HAS = ['boolean', 'boolean', 'boolean'];
const CREATION_TYPES = ['new_job[]', 'job_event[]', 'boolean', ...ANNOUNCED, ...TEXTS];
const MOVE_TYPES = [
  'job_move[]',
  'text[]',
  'job_event[]',
  'boolean',
  ...HAS,
  ...ANNOUNCED,
  ...TEXTS,
];

function callOf(name: string, types: readonly string[], from = 1): string {
  return `${name}(${types.map((type, index) => `$${index + from}::${type}`).join(', ')})`;
}

const CREATE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created`;
const MOVE_JOBS = `select ${callOf('move_jobs', MOVE_TYPES)} as moved`;
const CREATE_AND_MOVE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created,
  ${callOf('move_jobs', MOVE_TYPES, CREATION_TYPES.length + 1)} as moved`;

function creationValues(asked: readonly NewJobRows[], withProgress: boolean): readonly unknown[] {
  const told = asked.map(({ job, events }) => ({ jobId: job.id, events, at: job.createdAt }));
  const outbox = asked.flatMap(({ job, outbox: own }) =>
    announcedWith({ jobId: job.id, at: job.createdAt }, own),
  );
  const texts = new LongTexts();
  for (const { message } of asked) texts.add(message);
  return [
    compositeArray(asked.map(toNewJob)),
    compositeArray(eventRows(told)),
    withProgress,
    ...announcementValues(outbox, texts),
    ...texts.values(),
  ];
}

function moveValues(asked: readonly MoveRows[], withProgress: boolean): readonly unknown[] {
  const moves = asked.map(({ move }) => move);
  const outbox = moves.flatMap((move) => announcedWith(move, move.outbox));
  const texts = new LongTexts();
  return [
    compositeArray(asked.toSorted(byJob).map((each) => toMovedJob(each, texts))),
    textArray(moves.map(({ jobId }) => jobId)),
    compositeArray(eventRows(moves)),
    withProgress,
    moves.some(({ attemptStart }) => attemptStart !== undefined),
    moves.some(({ attemptEnd }) => attemptEnd !== undefined),
    asked.some(({ result }) => result !== undefined),
    ...announcementValues(outbox, texts),
    ...texts.values(),
  ];
}

/** Those that need no turn of their own, and those that do. */
function announcementValues(
  outbox: readonly JobOutboxMessage[],
  texts: LongTexts,
): readonly unknown[] {
  const [unordered, inTurn] = [
    outbox.filter(({ isUnordered }) => isUnordered),
    outbox.filter(({ isUnordered }) => !isUnordered),
  ];
  return [orNull(announcementRows(unordered, texts)), orNull(announcementRows(inTurn, texts))];
}

function orNull(rows: readonly (readonly CompositeValue[])[]): string | null {
  return rows.length === 0 ? null : compositeArray(rows);
}

/** The fields of `new_job`. */
function toNewJob({ job, events }: NewJobRows): readonly CompositeValue[] {
  const row = toJobRow(job, events.length);
  return [
    row.id,
    row.organization_id,
    row.public_id,
    row.origin,
    row.state,
    row.fence,
    row.run,
    row.attempts,
    row.losses,
    row.event_count,
    row.priority,
    row.queue,
    row.provider,
    row.model,
    row.key_id,
    row.user_id,
    row.request_id,
    row.locale,
    row.time_zone,
    row.trace_parent,
    row.callback_url,
    row.metadata,
    row.wait_code,
    row.error,
    row.run_at,
    row.published_at,
    row.deadline_at,
    row.lease_owner,
    row.lease_until,
    row.created_at,
    row.updated_at,
    row.started_at,
    row.finished_at,
  ];
}

/** The fields of `job_move`. */
function toMovedJob({ move, result }: MoveRows, texts: LongTexts): readonly CompositeValue[] {
  const { jobId, fence, to, at, events, attemptStart, attemptEnd } = move;
  const changed = toChangedColumns(move.change);
  return [
    jobId,
    fence,
    to,
    at,
    events.length,
    changed.run,
    changed.attempts,
    changed.losses,
    changed.queue,
    changed.run_at,
    changed.provider,
    changed.model,
    changed.wait_code,
    changed.error,
    changed.lease_owner,
    changed.lease_until,
    changed.started_at,
    changed.finished_at,
    clearedBits(changed),
    attemptStart?.run ?? attemptEnd?.run,
    attemptStart?.attempt,
    attemptStart?.workerId,
    attemptStart?.startedAt,
    attemptEnd?.outcome,
    attemptEnd?.errorCode,
    attemptEnd?.costNanos,
    attemptEnd?.finishedAt,
    result === undefined ? undefined : texts.add(result),
  ];
}

/** Columns that a move can set to null, in the order of their bits in `cleared` (functions/move-jobs.sql). */
const CLEARABLE = [
  'provider',
  'model',
  'wait_code',
  'error',
  'lease_owner',
  'lease_until',
  'started_at',
  'finished_at',
] as const;

function clearedBits(changed: ReturnType<typeof toChangedColumns>): number {
  let bits = 0;
  for (const [place, column] of CLEARABLE.entries())
    if (changed[column] === null) bits |= 1 << place;
  return bits;
}

/** Rows are locked in this order, so that two writers of several jobs do not wait for each other. */
function byJob(a: MoveRows, b: MoveRows): number {
  return a.move.jobId < b.move.jobId ? -1 : 1;
}
