// Jobs, moves, their events and their outbox messages as rows for the PostgreSQL functions create_jobs and move_jobs
// (postgres/functions). The order of the fields is that of the composite types in functions/job-types.sql.

import type { Job } from '../../../jobs/model/job.ts';
import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import type { OutboxMessage } from '../../../jobs/ports/job-queue.ts';
import type { JobMove } from '../../../jobs/ports/job-store.ts';
import { progressRow } from '../../sql/jobs/job-progress.ts';
import { toChangedColumns, toJobRow } from '../../sql/jobs/job-row.ts';
import type { CompositeValue } from '../statements/composite-array.ts';
import type { LongTexts } from '../statements/long-texts.ts';

type Row = readonly CompositeValue[];

/** A new job with everything that is written with it; the message as stored JSON. */
export type NewJobRows = {
  readonly job: Job;
  readonly message: string;
  readonly events: readonly NewJobEvent[];
  readonly outbox: readonly OutboxMessage[];
};

/** A move, and its result as stored JSON. */
export type MoveRows = { readonly move: JobMove; readonly result: string | undefined };

/** The fields of `new_job`. */
export function toNewJob({ job, events }: Pick<NewJobRows, 'job' | 'events'>): Row {
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
export function toMovedJob({ move, result }: MoveRows, texts: LongTexts): Row {
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

export type JobEvents = {
  readonly jobId: string;
  readonly events: readonly NewJobEvent[];
  readonly at: number;
};

/** Rows of `job_event`. */
export function eventRows(moves: readonly JobEvents[]): readonly Row[] {
  const rows: Row[] = [];
  for (const { jobId, events, at } of moves) {
    let behind = events.length;
    for (const event of events) {
      behind -= 1;
      rows.push([jobId, rows.length, behind, ...toEventFields(event, at)]);
    }
  }
  return rows;
}

/** The build event's data is sent only where it differs from the job event's. */
function toEventFields(event: NewJobEvent, at: number): Row {
  const { type, data } = event;
  const stored = data && JSON.stringify(data);
  const { isEnd, data: buildData, error } = progressRow(event);
  if (!error) return [type, stored, at, null, isEnd, null, null, null];
  const { code, params, message } = error;
  return [
    type,
    stored,
    at,
    JSON.stringify(buildData),
    isEnd,
    code,
    JSON.stringify(params),
    message,
  ];
}

export type JobOutboxMessage = OutboxMessage & { readonly jobId: string; readonly at: number };

export function outboxOf(
  { jobId, at }: { readonly jobId: string; readonly at: number },
  outbox: readonly OutboxMessage[] = [],
): readonly JobOutboxMessage[] {
  return outbox.map((each) => ({ ...each, jobId, at }));
}

/** Rows of `job_message`. */
export function messageRows(outbox: readonly JobOutboxMessage[], texts: LongTexts): readonly Row[] {
  return outbox.map(({ jobId, at, queue, message, delayMs = 0 }, place) => [
    jobId,
    place,
    queue,
    message.id,
    texts.add(message.body),
    message.tenant ?? '',
    message.priority ?? 0,
    delayMs > 0 ? 'waiting' : 'ready',
    at + delayMs,
    at,
  ]);
}
