// A job is also a build: the transaction that moves the job writes its progress to the build events. That table may be
// a product's own, with its own constraints, and a job must not fail because of them: if the table refuses the
// progress, the move is written again without it.

import type { Transaction } from 'kysely';
import type { EventError, NewBuildEvent } from '../../../events/build-event.ts';
import type { Job } from '../../../jobs/model/job.ts';
import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { type Log, logFailure } from '../../../kernel/log.ts';
import { insertEvents, isRefusal } from '../build-events.ts';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';

/** A move's events, and the raw text if it makes a dead letter. */
export type MoveProgress = {
  readonly events: readonly NewJobEvent[];
  readonly at: number;
  readonly internalMessage?: string | undefined;
};

export type JobProgress = {
  insert(trx: Transaction<Schema>, job: Job, progress: MoveProgress): Promise<void>;
  /** A running attempt's output since its last event. */
  insertOutput(trx: Transaction<Schema>, job: JobOwner, output: string): Promise<void>;
  /** Called after the transaction of `insertOutput` has committed. */
  outputCommitted(job: JobOwner): void;
  /** Runs `write` with the progress, and again without it if the table refuses the progress. */
  orWithoutProgress<T>(write: (withProgress: boolean) => Promise<T>): Promise<T>;
};

/** The identity of a job's build. */
export type JobOwner = Pick<Job, 'organizationId' | 'publicId' | 'userId'>;

export type JobProgressParts = {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when output was committed, to wake live readers; the job store does so for moves. */
  readonly onOutput?: (job: JobOwner) => void;
};

export function createJobProgress(parts: JobProgressParts): JobProgress {
  const { dialect, clock, log } = parts;
  let isRefusalLogged = false;
  return {
    outputCommitted: (job) => parts.onOutput?.(job),
    async insert(trx, job, progress) {
      await insertEvents(trx, dialect, toBuildEvents(job, progress));
    },
    async insertOutput(trx, job, output) {
      const event = eventOf(job, clock.now());
      const added = { ...event, type: 'job.output', data: { output }, finished: false };
      await insertEvents(trx, dialect, [added]);
    },
    async orWithoutProgress(write) {
      try {
        return await write(true);
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        const written = await write(false);
        // Logged once: it will refuse the next one as well.
        if (!isRefusalLogged) logRefusal(log, cause);
        isRefusalLogged = true;
        return written;
      }
    },
  };
}

/** Being routed to another queue is internal. */
function publicEvents({ events }: MoveProgress): readonly NewJobEvent[] {
  return events.filter(({ type }) => type !== 'routed');
}

/** A job's event as a build event, with its failure in a field of its own. */
export type ProgressRow = {
  readonly type: string;
  readonly data: object;
  readonly isEnd: boolean;
  readonly error?: EventError;
};

export function progressRow({ type, data = {} }: NewJobEvent): ProgressRow {
  const isEnd = ENDS.has(type);
  const { code, params = {}, message = '', ...rest } = data;
  const named = { type: `job.${type}`, isEnd };
  if (code === undefined) return { ...named, data: rest };
  // The code of a delay is not a failure.
  if (!isEnd) return { ...named, data: { ...rest, code } };
  return { ...named, data: rest, error: { code, params, message } };
}

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'expired']);

function toBuildEvents(job: Job, progress: MoveProgress): readonly NewBuildEvent[] {
  const { at, internalMessage } = progress;
  return publicEvents(progress).map((event) => {
    const { type, data, isEnd: finished, error } = progressRow(event);
    const withText = error && { ...error, internalMessage };
    return { ...eventOf(job, at), type, data, finished, error: withText };
  });
}

function eventOf(job: JobOwner, createdAt: number) {
  const { organizationId, publicId: buildId, userId } = job;
  return { organizationId, buildId, userId, userVisible: true, createdAt };
}

function logRefusal(log: Log, cause: unknown): void {
  const message =
    'the table of build events refuses the progress of jobs; they continue without it';
  logFailure(log, message, cause, { level: 'warn' });
}
