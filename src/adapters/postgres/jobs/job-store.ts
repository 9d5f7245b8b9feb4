// Jobs on PostgreSQL. What every job does several times is done for all jobs that this process has in hand together
// (statement-group.ts): those handed in and moved share a statement, which commits as one, and so do those that are looked
// for. Every move is still fenced by itself: what belongs to it is made from the row that it moved. All else is the
// common SQL.

import type { Job } from '../../../jobs/model/job.ts';
import type { JobMessage } from '../../../jobs/model/job-message.ts';
import type { JobMove, JobStore } from '../../../jobs/ports/job-store.ts';
import { fromJson, toJob } from '../../sql/jobs/job-row.ts';
import { createJobStore, type JobStoreParts, SUBMITTED } from '../../sql/jobs/job-store.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createGroupCommit } from '../statements/group-commit.ts';
import { JOB_COLUMNS, type JobRow } from './job-columns.ts';
import {
  type MoveRows,
  type NewJobRows,
  type WriteRows,
  type WrittenJobs,
  writeStatement,
} from './job-statements.ts';

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
    message: (jobId) => grouped.message(jobId),
    async create(job, message, outbox = [], events = SUBMITTED) {
      const asked = { job, message: JSON.stringify(message), outbox, events };
      if (await grouped.create(asked)) {
        onChanged?.(job);
        return { job, isNew: true };
      }
      const { organizationId, publicId } = job;
      const known = await common.find({ organizationId, publicId });
      if (!known) throw new Error('a job that is known cannot be found');
      return { job: known, isNew: false };
    },
    async move(move) {
      if (isUncommon(move)) return common.move(move);
      const result = move.result && JSON.stringify(move.result);
      const job = await grouped.move({ move, result });
      if (job) onChanged?.(job);
      return job;
    },
  };
}

function isUncommon({ deadLetter, attemptStart, attemptEnd }: JobMove): boolean {
  return deadLetter !== undefined || (attemptStart !== undefined && attemptEnd !== undefined);
}

/** What is written for a job: it is handed in, or it moves. */
type Write =
  | { readonly kind: 'create'; readonly ask: NewJobRows }
  | { readonly kind: 'move'; readonly ask: MoveRows };

function createGroups({ store, signals, progress }: PostgresJobStoreParts) {
  /**
   * Runs one statement for all; the ids of those that were written. A single one is written anew without its progress where
   * the table of build events refuses that.
   */
  async function runTold(rows: WriteRows): Promise<ReadonlySet<string>> {
    const runAs = (withProgress: boolean) =>
      store.run<WrittenJobs>(...writeStatement(rows, withProgress));
    const isAlone = rows.creations.length + rows.moves.length === 1;
    const [row] = await (progress && isAlone
      ? progress.orWithoutProgress(runAs)
      : runAs(progress !== undefined));
    const ids = [row?.created, row?.moved].flatMap((written) => written?.split(',') ?? []);
    return new Set(ids);
  }

  /** After the commit: consumers of what was outbox are told, once for each queue. */
  function tellConsumers({ creations, moves }: WriteRows, written: ReadonlySet<string>): void {
    const queues = new Set<string>();
    for (const { job, outbox } of creations)
      if (written.has(job.id)) for (const { queue } of outbox) queues.add(queue);
    for (const { move } of moves)
      if (written.has(move.jobId)) for (const { queue } of move.outbox ?? []) queues.add(queue);
    for (const queue of queues) signals.notify(queue);
  }

  const write = createGroupCommit<Write, boolean>({
    keyOf: ({ kind, ask }) =>
      kind === 'create' ? `${ask.job.organizationId}/${ask.job.publicId}` : ask.move.jobId,
    maxInFlight: WRITES_UNDER_WAY,
    sizeOf: ({ kind, ask }) => (kind === 'create' ? ask.message.length : (ask.result?.length ?? 0)),
    async runBatch(asked) {
      const rows = {
        creations: asked.flatMap(({ kind, ask }) => (kind === 'create' ? [ask] : [])),
        moves: asked.flatMap(({ kind, ask }) => (kind === 'move' ? [ask] : [])),
      };
      const written = await runTold(rows);
      tellConsumers(rows, written);
      return asked.map(({ kind, ask }) =>
        written.has(kind === 'create' ? ask.job.id : ask.move.jobId),
      );
    },
  });

  return {
    /** Whether it is new. */
    create: (ask: NewJobRows) => write({ kind: 'create', ask }),
    // The fence says that it was as its mover saw it, so that it need not be read to know how it is now.
    move: async (ask: MoveRows) =>
      (await write({ kind: 'move', ask })) ? ask.move.moved : undefined,
    find: createGroupCommit<string, Job | undefined>({
      async runBatch(ids) {
        const rows = await store.run<JobRow>(FIND, [ids]);
        const found = new Map(rows.map((row) => [row.id, toJob(row)]));
        return ids.map((id) => found.get(id));
      },
    }),
    message: createGroupCommit<string, JobMessage | undefined>({
      async runBatch(ids) {
        const rows = await store.run<PayloadRow>(READ, [ids]);
        const kept = new Map(rows.map(({ job_id, message }) => [job_id, message]));
        return ids.map((id) => fromJson(kept.get(id) ?? null) as JobMessage | undefined);
      },
    }),
  };
}

/** Jobs that are started do not wait until others have ended: a place at the provider is kept meanwhile. */
const WRITES_UNDER_WAY = 2;

type PayloadRow = { readonly job_id: string; readonly message: string };

const FIND = `select ${JOB_COLUMNS} from jobs where id = any($1::text[])`;
const READ = 'select job_id, message from job_payloads where job_id = any($1::text[])';
