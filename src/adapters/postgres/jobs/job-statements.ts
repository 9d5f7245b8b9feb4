// One statement that creates and moves many jobs: it calls create_jobs and move_jobs (postgres/functions) with the rows of
// all of them. A job occurs in a statement once.

import { type CompositeValue, compositeArray, textArray } from '../statements/composite-array.ts';
import { LongTexts } from '../statements/long-texts.ts';
import {
  eventRows,
  type JobOutboxMessage,
  type MoveRows,
  messageRows,
  type NewJobRows,
  outboxOf,
  toMovedJob,
  toNewJob,
} from './job-rows.ts';

export type WriteRows = {
  readonly creations: readonly NewJobRows[];
  readonly moves: readonly MoveRows[];
};

/** The answer of a statement: comma-separated ids of the written jobs. */
export type WrittenJobs = { readonly created?: string | null; readonly moved?: string | null };

/** The text of the statement and its values. `withProgress`: whether build events are written too. */
export function writeStatement(
  { creations, moves }: WriteRows,
  withProgress: boolean,
): readonly [string, readonly unknown[]] {
  if (moves.length === 0) return [CREATE_JOBS, creationValues(creations, withProgress)];
  if (creations.length === 0) return [MOVE_JOBS, moveValues(moves, withProgress)];
  const values = [...creationValues(creations, withProgress), ...moveValues(moves, withProgress)];
  return [CREATE_AND_MOVE_JOBS, values];
}

const OUTBOX_TYPES = ['job_message[]', 'job_message[]'];
const TEXT_TYPES = ['text', 'text'];
const FLAG_TYPES = ['boolean', 'boolean', 'boolean'];
const CREATION_TYPES = ['new_job[]', 'job_event[]', 'boolean', ...OUTBOX_TYPES, ...TEXT_TYPES];
const MOVE_TYPES = [
  'job_move[]',
  'text[]',
  'job_event[]',
  'boolean',
  ...FLAG_TYPES,
  ...OUTBOX_TYPES,
  ...TEXT_TYPES,
];

function callOf(name: string, types: readonly string[], from = 1): string {
  return `${name}(${types.map((type, index) => `$${index + from}::${type}`).join(', ')})`;
}

const CREATE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created`;
const MOVE_JOBS = `select ${callOf('move_jobs', MOVE_TYPES)} as moved`;
const CREATE_AND_MOVE_JOBS = `select ${callOf('create_jobs', CREATION_TYPES)} as created,
  ${callOf('move_jobs', MOVE_TYPES, CREATION_TYPES.length + 1)} as moved`;

function creationValues(
  creations: readonly NewJobRows[],
  withProgress: boolean,
): readonly unknown[] {
  const events = creations.map(({ job, events: own }) => ({
    jobId: job.id,
    events: own,
    at: job.createdAt,
  }));
  const outbox = creations.flatMap(({ job, outbox: own }) =>
    outboxOf({ jobId: job.id, at: job.createdAt }, own),
  );
  const texts = new LongTexts();
  for (const { message } of creations) texts.add(message);
  return [
    compositeArray(creations.map(toNewJob)),
    compositeArray(eventRows(events)),
    withProgress,
    ...outboxValues(outbox, texts),
    ...texts.values(),
  ];
}

function moveValues(rows: readonly MoveRows[], withProgress: boolean): readonly unknown[] {
  const moves = rows.map(({ move }) => move);
  const outbox = moves.flatMap((move) => outboxOf(move, move.outbox));
  const texts = new LongTexts();
  return [
    compositeArray(rows.toSorted(byJob).map((each) => toMovedJob(each, texts))),
    textArray(moves.map(({ jobId }) => jobId)),
    compositeArray(eventRows(moves)),
    withProgress,
    moves.some(({ attemptStart }) => attemptStart !== undefined),
    moves.some(({ attemptEnd }) => attemptEnd !== undefined),
    rows.some(({ result }) => result !== undefined),
    ...outboxValues(outbox, texts),
    ...texts.values(),
  ];
}

/** Unordered messages, and messages that take their tenant's next tag. */
function outboxValues(outbox: readonly JobOutboxMessage[], texts: LongTexts): readonly unknown[] {
  const [unordered, inTurn] = [
    outbox.filter(({ isUnordered }) => isUnordered),
    outbox.filter(({ isUnordered }) => !isUnordered),
  ];
  return [orNull(messageRows(unordered, texts)), orNull(messageRows(inTurn, texts))];
}

function orNull(rows: readonly (readonly CompositeValue[])[]): string | null {
  return rows.length === 0 ? null : compositeArray(rows);
}

/** Rows are locked in this order, so that two writers of several jobs cannot deadlock. */
function byJob(a: MoveRows, b: MoveRows): number {
  return a.move.jobId < b.move.jobId ? -1 : 1;
}
