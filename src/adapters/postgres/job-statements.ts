// Many jobs handed in and moved by one statement, which calls the functions of the store (sql/migrations/0003-job-functions.ts)
// with rows for all of them. Each job is in a statement once.

import type { Job } from '../../jobs/job.ts';
import type { NewJobEvent } from '../../jobs/job-history.ts';
import type { Announcement } from '../../jobs/job-queue.ts';
import type { AttemptEnd, AttemptStart, JobMove } from '../../jobs/job-store.ts';
import { toChangedColumns, toJobRow } from '../sql/job-row.ts';
import { eventRows } from './job-event-rows.ts';
import { jsonRows } from './json-rows.ts';
import { LongTexts } from './long-texts.ts';
import { announcedWith, announcementRows, type JobAnnouncement } from './queue-rows.ts';

/** A job with all that is written with it; the message as it is kept. */
export type NewJobRows = {
  readonly job: Job;
  readonly message: string;
  readonly events: readonly NewJobEvent[];
  readonly announced: readonly Announcement[];
};

/** A move, and its result as it is kept. */
export type MoveRows = { readonly move: JobMove; readonly result: string | undefined };

export type WriteRows = {
  readonly creations: readonly NewJobRows[];
  readonly moves: readonly MoveRows[];
};

/** What a statement answers: the ids of the jobs that were written. */
export type WrittenJobs = { readonly created?: string | null; readonly moved?: string | null };

/** The text of the statement, and its values. `isTold`: whether the builds that jobs also are hear of it. */
export function writeStatement(
  { creations, moves }: WriteRows,
  isTold: boolean,
): readonly [string, readonly unknown[]] {
  if (moves.length === 0) return [CREATE_JOBS, creationValues(creations, isTold)];
  if (creations.length === 0) return [MOVE_JOBS, moveValues(moves, isTold)];
  const values = [...creationValues(creations, isTold), ...moveValues(moves, isTold)];
  return [CREATE_AND_MOVE_JOBS, values];
}

const CREATION_TYPES = ['json', 'text[]', 'json', 'boolean', 'json', 'json', 'text', 'text'];
const HAS = ['boolean', 'boolean', 'boolean'];
const MOVE_TYPES = ['json', 'text[]', 'json', 'boolean', ...HAS, 'json', 'json', 'text', 'text'];

function callOf(name: string, types: readonly string[], from = 1): string {
  return `${name}(${types.map((type, index) => `$${index + from}::${type}`).join(', ')})`;
}

const CREATE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created`;
const MOVE_JOBS = `select ${callOf('move_jobs', MOVE_TYPES)} as moved`;
const CREATE_AND_MOVE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created,
  ${callOf('move_jobs', MOVE_TYPES, CREATION_TYPES.length + 1)} as moved`;

function creationValues(asked: readonly NewJobRows[], isTold: boolean): readonly unknown[] {
  const told = asked.map(({ job, events }) => ({ jobId: job.id, events, at: job.createdAt }));
  const announced = asked.flatMap(({ job, announced: own }) =>
    announcedWith({ jobId: job.id, at: job.createdAt }, own),
  );
  const texts = new LongTexts();
  for (const { message } of asked) texts.add(message);
  return [
    jsonRows(asked.map(({ job, events }) => toJobRow(job, events.length))),
    asked.map(({ job }) => job.id),
    jsonRows(eventRows(told)),
    isTold,
    ...announcementValues(announced, texts),
    ...texts.values(),
  ];
}

function moveValues(asked: readonly MoveRows[], isTold: boolean): readonly unknown[] {
  const moves = asked.map(({ move }) => move);
  const announced = moves.flatMap((move) => announcedWith(move, move.announce));
  const texts = new LongTexts();
  return [
    jsonRows(asked.map((each) => toMoveRow(each, texts)).toSorted(byJob)),
    moves.map(({ jobId }) => jobId),
    jsonRows(eventRows(moves)),
    isTold,
    moves.some(({ attemptStart }) => attemptStart !== undefined),
    moves.some(({ attemptEnd }) => attemptEnd !== undefined),
    asked.some(({ result }) => result !== undefined),
    ...announcementValues(announced, texts),
    ...texts.values(),
  ];
}

/** Those that need no turn of their own, and those that do. */
function announcementValues(
  announced: readonly JobAnnouncement[],
  texts: LongTexts,
): readonly unknown[] {
  const [unordered, inTurn] = [
    announced.filter(({ isUnordered }) => isUnordered),
    announced.filter(({ isUnordered }) => !isUnordered),
  ];
  return [orNull(announcementRows(unordered, texts)), orNull(announcementRows(inTurn, texts))];
}

function orNull(rows: readonly object[]): string | null {
  return rows.length === 0 ? null : jsonRows(rows);
}

function toMoveRow({ move, result }: MoveRows, texts: LongTexts) {
  const { jobId, fence, to, at, events, change, attemptStart, attemptEnd } = move;
  const changed: Record<string, unknown> = {};
  const emptied: string[] = [];
  for (const [column, value] of Object.entries(toChangedColumns(change)))
    if (value === null) emptied.push(column);
    else if (value !== undefined) changed[`new_${column}`] = value;
  return {
    of_job: jobId,
    seen_fence: fence,
    to_state: to,
    moved_at: at,
    event_rows: events.length,
    ...changed,
    emptied,
    ...(attemptStart && toStart(attemptStart)),
    ...(attemptEnd && toEnd(attemptEnd)),
    ...(result !== undefined && { text_at: texts.add(result) }),
  };
}

/** Rows are locked in this order, so that two writers of several jobs do not wait for each other. */
function byJob(a: { readonly of_job: string }, b: { readonly of_job: string }): number {
  return a.of_job < b.of_job ? -1 : 1;
}

function toStart({ run, attempt, workerId, startedAt }: AttemptStart) {
  return { this_run: run, nth: attempt, worker: workerId, begun_at: startedAt };
}

function toEnd({ run, outcome, errorCode, costNanos, finishedAt }: AttemptEnd) {
  const ended = { came_out: outcome, end_code: errorCode, cost: costNanos, ended_at: finishedAt };
  return { this_run: run, ...ended };
}
