// Jobs on PostgreSQL. Handing in, moving and finding, which every job does several times, are one statement each
// instead of a transaction of six: what belongs to a move is made from the row that it moved, so that a move which
// finds the job moved on writes nothing at all. All else is the common SQL.

import type { Job } from '../../jobs/job.ts';
import type { NewJobEvent } from '../../jobs/job-history.ts';
import type { JobMessage } from '../../jobs/job-message.ts';
import type { Announcement } from '../../jobs/job-queue.ts';
import type { JobKey, JobMove, JobStore } from '../../jobs/job-store.ts';
import { toChangedColumns, toJob, toJobRow } from '../sql/job-row.ts';
import { createJobStore, type JobStoreParts, SUBMITTED, toldBy } from '../sql/job-store.ts';
import { JOB_COLUMNS, type JobRow } from './job-columns.ts';
import { addProgress } from './job-progress-statement.ts';
import type { PostgresStore } from './open-postgres.ts';
import { announce } from './queue-statement.ts';
import { StatementText } from './statement-text.ts';

export type PostgresJobStoreParts = Omit<JobStoreParts, 'db'> & {
  readonly store: Pick<PostgresStore, 'db' | 'run'>;
};

export function createPostgresJobStore(parts: PostgresJobStoreParts): JobStore {
  const { store, signals, onChanged, progress } = parts;
  const common = createJobStore({ ...parts, db: store.db });

  async function run(statement: StatementText, last: string): Promise<JobRow | undefined> {
    const [row] = await store.run<JobRow>(statement.ending(last), statement.values);
    return row;
  }

  /** The statement is written anew without the progress where the table of build events refuses it. */
  function runTold(write: (isTold: boolean) => StatementText, last: string) {
    if (!progress) return run(write(false), last);
    return progress.orWithout((isTold) => run(write(isTold), last));
  }

  function tell(job: Job, announced: readonly Announcement[]): void {
    for (const { queue } of announced) signals.notify(queue);
    onChanged?.(job);
  }

  async function find(key: JobKey): Promise<Job | undefined> {
    const [row] =
      'id' in key
        ? await store.run<JobRow>(FIND_BY_ID, [key.id])
        : await store.run<JobRow>(FIND_BY_PUBLIC_ID, [key.organizationId, key.publicId]);
    return row && toJob(row);
  }

  return {
    ...common,
    find,
    async create(job, message, announced = [], events = SUBMITTED) {
      if (announced.length > 1) return common.create(job, message, announced, events);
      const write = (isTold: boolean) => creation(job, { message, announced, events }, isTold);
      if (await runTold(write, 'select id from created')) {
        tell(job, announced);
        return { job, isNew: true };
      }
      const known = await find({ organizationId: job.organizationId, publicId: job.publicId });
      if (!known) throw new Error('a job that is known cannot be found');
      return { job: known, isNew: false };
    },
    async move(move) {
      if (isUncommon(move)) return common.move(move);
      const write = (isTold: boolean) => movement(move, isTold);
      const row = await runTold(write, `select ${JOB_COLUMNS} from moved`);
      if (!row) return undefined;
      const job = toJob(row);
      tell(job, move.announce ?? []);
      return job;
    },
  };
}

const FIND_BY_ID = `select ${JOB_COLUMNS} from jobs where id = $1`;
const FIND_BY_PUBLIC_ID = `select ${JOB_COLUMNS} from jobs where organization_id = $1 and public_id = $2`;

/** Parts of one statement do not see each other's rows, and must not touch the same one. */
function isUncommon({ announce: announced = [], deadLetter, attemptStart, attemptEnd }: JobMove) {
  return announced.length > 1 || deadLetter !== undefined || (attemptStart && attemptEnd);
}

type NewRows = {
  readonly message: JobMessage;
  readonly announced: readonly Announcement[];
  readonly events: readonly NewJobEvent[];
};

function creation(job: Job, { message, announced, events }: NewRows, isTold: boolean) {
  const statement = new StatementText();
  const row = Object.entries(toJobRow(job, events.length));
  const columns = row.map(([name]) => name).join(', ');
  const values = row.map(([, value]) => statement.value(value)).join(', ');
  statement.part(
    'created',
    `insert into jobs (${columns}) values (${values})
     on conflict (organization_id, public_id) do nothing
     returning id, organization_id, public_id, user_id, event_count`,
  );
  statement.part(
    'payload',
    `insert into job_payloads (job_id, message)
     select id, ${statement.value(JSON.stringify(message), 'text')} from created`,
  );
  addEvents(statement, 'created', { events, at: job.createdAt });
  for (const each of announced) announce(statement, 'created', each, job.createdAt);
  if (isTold) addProgress(statement, 'created', { events, at: job.createdAt });
  return statement;
}

function movement(move: JobMove, isTold: boolean): StatementText {
  const statement = new StatementText();
  const changed = Object.entries(toChangedColumns(move.change))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name} = ${statement.value(value)}`);
  statement.part(
    'moved',
    `update jobs set state = ${statement.value(move.to)}, fence = fence + 1,
       event_count = event_count + ${statement.value(move.events.length, 'integer')},
       published_at = ${statement.value(move.at)}, updated_at = ${statement.value(move.at)}${changed.join('')}
     where id = ${statement.value(move.jobId)} and fence = ${statement.value(move.fence)}
     returning ${JOB_COLUMNS}`,
  );
  addEvents(statement, 'moved', move);
  addAttempt(statement, move);
  if (move.result)
    statement.part(
      'result',
      `insert into job_results (job_id, result)
       select id, ${statement.value(JSON.stringify(move.result), 'text')} from moved`,
    );
  for (const each of move.announce ?? []) announce(statement, 'moved', each, move.at);
  if (isTold) addProgress(statement, 'moved', toldBy(move));
  return statement;
}

/** For each row of the part `from`, of which there is one or none. */
function addEvents(
  statement: StatementText,
  from: string,
  { events, at }: Pick<JobMove, 'events' | 'at'>,
): void {
  const types = events.map(({ type }) => type);
  const data = events.map((event) =>
    event.data === undefined ? null : JSON.stringify(event.data),
  );
  statement.part(
    'told',
    `insert into job_events (job_id, sequence, type, data, created_at)
     select ${from}.id, ${from}.event_count - ${statement.value(events.length, 'integer')} + event.place,
       event.type, event.data, ${statement.value(at, 'bigint')}
     from ${from}, unnest(${statement.value(types, 'text[]')}, ${statement.value(data, 'text[]')})
       with ordinality as event (type, data, place)`,
  );
}

function addAttempt(statement: StatementText, { attemptStart, attemptEnd }: JobMove): void {
  if (attemptStart)
    statement.part(
      'attempt',
      `insert into job_attempts (job_id, run, attempt, provider, model, worker_id, started_at)
       select id, ${statement.value(attemptStart.run, 'integer')}, ${statement.value(attemptStart.attempt, 'integer')},
         provider, model, ${statement.value(attemptStart.workerId, 'text')},
         ${statement.value(attemptStart.startedAt, 'bigint')} from moved`,
    );
  if (attemptEnd)
    statement.part(
      'attempt',
      `update job_attempts set outcome = ${statement.value(attemptEnd.outcome)},
         error_code = ${statement.value(attemptEnd.errorCode ?? null)},
         cost_nanos = ${statement.value(attemptEnd.costNanos ?? null)},
         finished_at = ${statement.value(attemptEnd.finishedAt)}
       where job_id = (select id from moved) and run = ${statement.value(attemptEnd.run)}`,
    );
}
