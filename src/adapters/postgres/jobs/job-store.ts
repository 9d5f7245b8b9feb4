// Jobs on PostgreSQL. The frequent operations are grouped (group-commit.ts): creations and moves of all
// jobs in progress share a statement and its commit, and so do reads. Every move is still fenced on its own: its events,
// attempt, result and messages are written only if its row was updated. Everything else is the common SQL.

import type { Job } from '../../../jobs/model/job.ts';
import type { JobMove, JobStore, JobWithMessage } from '../../../jobs/ports/job-store.ts';
import { resultTextOf } from '../../sql/jobs/job-result.ts';
import { toJob } from '../../sql/jobs/job-row.ts';
import { createJobStore, type JobStoreParts, SUBMITTED } from '../../sql/jobs/job-store.ts';
import { fromStoredText, toStoredText } from '../../sql/jobs/stored-message.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createGroupCommit } from '../statements/group-commit.ts';
import { JOB_COLUMNS, type JobRow } from './job-columns.ts';
import type { MoveRows, NewJobRows } from './job-rows.ts';
import { type WriteRows, type WrittenJobs, writeStatement } from './job-statements.ts';

export type PostgresJobStoreParts = Omit<JobStoreParts, 'db'> & {
  readonly store: Pick<PostgresStore, 'db' | 'run'>;
};

export function createPostgresJobStore(parts: PostgresJobStoreParts): JobStore {
  const { store, onChanged } = parts;
  const common = createJobStore({ ...parts, db: store.db });
  const grouped = createGroups(parts);

  return {
    ...common,
    find: (key) => ('id' in key ? grouped.find(key.id) : common.find(key)),
    findWithMessage: (jobId) => grouped.findWithMessage(jobId),
    async create(job, message, outbox = [], events = SUBMITTED) {
      const rows = { job, message: toStoredText(message), outbox, events };
      if (await grouped.create(rows)) {
        onChanged?.(job);
        return { job, isNew: true };
      }
      const { organizationId, publicId } = job;
      const known = await common.find({ organizationId, publicId });
      if (!known) throw new Error('a job with this public id exists and cannot be read');
      return { job: known, isNew: false };
    },
    async move(move) {
      if (needsOwnTransaction(move)) return common.move(move);
      const result = await resultTextOf(move);
      const job = await grouped.move({ move, result });
      if (job) onChanged?.(job);
      return job;
    },
  };
}

function needsOwnTransaction({ deadLetter, attemptStart, attemptEnd }: JobMove): boolean {
  return deadLetter !== undefined || (attemptStart !== undefined && attemptEnd !== undefined);
}

type Write =
  | { readonly kind: 'create'; readonly rows: NewJobRows }
  | { readonly kind: 'move'; readonly rows: MoveRows };

function createGroups({ store, signals, progress }: PostgresJobStoreParts) {
  /**
   * Runs one statement for the batch and returns the ids of the written jobs. A statement for a single job is repeated
   * without its progress if the table of build events refuses that.
   */
  async function runWrites(batch: WriteRows): Promise<ReadonlySet<string>> {
    const runWith = (withProgress: boolean) =>
      store.run<WrittenJobs>(...writeStatement(batch, withProgress));
    const isAlone = batch.creations.length + batch.moves.length === 1;
    const [row] = await (progress && isAlone
      ? progress.orWithoutProgress(runWith)
      : runWith(progress !== undefined));
    const ids = [row?.created, row?.moved].flatMap((written) => written?.split(',') ?? []);
    return new Set(ids);
  }

  /** After the commit: notifies the consumers of the written outbox messages, once for each queue. */
  function notifyConsumers({ creations, moves }: WriteRows, written: ReadonlySet<string>): void {
    const queues = new Set<string>();
    for (const { job, outbox } of creations)
      if (written.has(job.id)) for (const { queue } of outbox) queues.add(queue);
    for (const { move } of moves)
      if (written.has(move.jobId)) for (const { queue } of move.outbox ?? []) queues.add(queue);
    for (const queue of queues) signals.notify(queue);
  }

  const write = createGroupCommit<Write, boolean>({
    keyOf: ({ kind, rows }) =>
      kind === 'create' ? `${rows.job.organizationId}/${rows.job.publicId}` : rows.move.jobId,
    maxInFlight: CONCURRENT_WRITES,
    sizeOf: ({ kind, rows }) =>
      kind === 'create' ? rows.message.length : (rows.result?.length ?? 0),
    async runBatch(writes) {
      const batch = {
        creations: writes.flatMap(({ kind, rows }) => (kind === 'create' ? [rows] : [])),
        moves: writes.flatMap(({ kind, rows }) => (kind === 'move' ? [rows] : [])),
      };
      const written = await runWrites(batch);
      notifyConsumers(batch, written);
      return writes.map(({ kind, rows }) =>
        written.has(kind === 'create' ? rows.job.id : rows.move.jobId),
      );
    },
  });

  return {
    /** Whether the job is new. */
    create: (rows: NewJobRows) => write({ kind: 'create', rows }),
    // A matching fence proves that the job was as the caller read it, so `moved` is its state now.
    move: async (rows: MoveRows) =>
      (await write({ kind: 'move', rows })) ? rows.move.moved : undefined,
    find: createGroupCommit<string, Job | undefined>({
      async runBatch(ids) {
        const rows = await store.run<JobRow>(FIND, [ids]);
        const found = new Map(rows.map((row) => [row.id, toJob(row)]));
        return ids.map((id) => found.get(id));
      },
    }),
    findWithMessage: createGroupCommit<string, JobWithMessage | undefined>({
      async runBatch(ids) {
        const rows = await store.run<JobMessageRow>(FIND_WITH_MESSAGE, [ids]);
        const found = new Map(rows.map((row) => [row.id, toJobWithMessage(row)]));
        return ids.map((id) => found.get(id));
      },
    }),
  };
}

/** Two, so that a job's start, which holds a slot, does not wait for the commit of other jobs' results. */
const CONCURRENT_WRITES = 2;

type JobMessageRow = JobRow & { readonly message: string | null };

function toJobWithMessage(row: JobMessageRow): JobWithMessage {
  return { job: toJob(row), message: fromStoredText(row.message ?? '{}') };
}

const FIND = `select ${JOB_COLUMNS} from jobs where id = any($1::text[])`;
/** A subquery instead of a join: the statement is planned every time, and there is no order of joins to choose. */
const FIND_WITH_MESSAGE = `select ${JOB_COLUMNS},
  (select message from job_payloads where job_id = jobs.id) as message
  from jobs where id = any($1::text[])`;
