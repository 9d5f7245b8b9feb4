// A job is also a build: its progress is written among the build events by the transaction that moves it, so that
// neither is there without the other. The table may be a product's own with rules of its own; a job must not fail by
// them, so whoever writes a move tries again without its progress when the table refuses it.

import type { Transaction } from 'kysely';
import type { EventError, NewBuildEvent } from '../../../events/build-event.ts';
import type { Job } from '../../../jobs/model/job.ts';
import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { insertEvents, isRefusal } from '../build-events.ts';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';

/** What a move tells: its events, and for a dead letter what was really said. */
export type MoveProgress = {
  readonly events: readonly NewJobEvent[];
  readonly at: number;
  readonly internalMessage?: string | undefined;
};

export type JobProgress = {
  insert(trx: Transaction<Schema>, job: Job, told: MoveProgress): Promise<void>;
  /** What a running attempt has put out since it was last told. */
  insertOutput(trx: Transaction<Schema>, job: JobOwner, output: string): Promise<void>;
  /** Output was told, and the transaction has ended. */
  outputCommitted(job: JobOwner): void;
  /** Runs `write` with the progress, and without where the table refuses it. */
  orWithoutProgress<T>(write: (withProgress: boolean) => Promise<T>): Promise<T>;
};

/** Whose build a job is. */
export type JobOwner = Pick<Job, 'organizationId' | 'publicId' | 'userId'>;

export type JobProgressParts = {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of output, for those who follow it live; moves are told by the job store. */
  readonly onOutput?: (job: JobOwner) => void;
};

export function createJobProgress(parts: JobProgressParts): JobProgress {
  const { dialect, clock, log } = parts;
  let isRefusalTold = false;
  return {
    outputCommitted: (job) => parts.onOutput?.(job),
    async insert(trx, job, told) {
      await insertEvents(trx, dialect, progressOf(job, told));
    },
    async insertOutput(trx, job, output) {
      const event = eventOf(job, clock.now());
      const told = { ...event, type: 'job.output', data: { output }, finished: false };
      await insertEvents(trx, dialect, [told]);
    },
    async orWithoutProgress(write) {
      try {
        return await write(true);
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        const written = await write(false);
        // Once: it will refuse the next one as well.
        if (!isRefusalTold) tell(log, cause);
        isRefusalTold = true;
        return written;
      }
    },
  };
}

/** Going from one queue to another is no progress to anybody but us. */
export function publicEvents({ events }: MoveProgress): readonly NewJobEvent[] {
  return events.filter(({ type }) => type !== 'routed');
}

/** An event of a job as its build tells it: how it failed stands apart from the rest. */
export type ProgressRow = {
  readonly type: string;
  readonly data: object;
  readonly isEnd: boolean;
  readonly error?: EventError;
};

export function progressRow({ type, data = {} }: NewJobEvent): ProgressRow {
  const isEnd = ENDS.has(type);
  const { code, params = {}, message = '', ...rest } = data;
  const told = { type: `job.${type}`, isEnd };
  if (code === undefined) return { ...told, data: rest };
  // Why it waits is no failure of it.
  if (!isEnd) return { ...told, data: { ...rest, code } };
  return { ...told, data: rest, error: { code, params, message } };
}

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'expired']);

function progressOf(job: Job, told: MoveProgress): readonly NewBuildEvent[] {
  const { at, internalMessage } = told;
  return publicEvents(told).map((event) => {
    const { type, data, isEnd: finished, error } = progressRow(event);
    const said = error && { ...error, internalMessage };
    return { ...eventOf(job, at), type, data, finished, error: said };
  });
}

function eventOf(job: JobOwner, createdAt: number) {
  const { organizationId, publicId: buildId, userId } = job;
  return { organizationId, buildId, userId, userVisible: true, createdAt };
}

function tell(log: Log, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log.write({
    level: 'warn',
    type: 'error',
    message: 'the table of build events refuses the progress of jobs',
    metadata: { reason },
  });
}
