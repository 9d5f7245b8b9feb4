// Jobs on PostgreSQL. Handing in, moving and finding, which every job does several times, are done for all jobs that this
// process has in hand by one statement each (statement-group.ts), which commits as one. Every move is still fenced by
// itself: what belongs to it is made from the row that it moved. All else is the common SQL.

import type { Job } from '../../jobs/job.ts';
import type { JobMessage } from '../../jobs/job-message.ts';
import type { Announcement } from '../../jobs/job-queue.ts';
import type { JobMove, JobStore } from '../../jobs/job-store.ts';
import { fromJson, toJob } from '../sql/job-row.ts';
import { createJobStore, type JobStoreParts, SUBMITTED } from '../sql/job-store.ts';
import { JOB_COLUMNS, type JobRow } from './job-columns.ts';
import {
  type MoveRows,
  type NewJobRows,
  type WrittenJobs,
  writeStatement,
} from './job-statements.ts';
import type { PostgresStore } from './open-postgres.ts';
import { handOver, placed } from './queue-rows.ts';
import { createStatementGroup } from './statement-group.ts';

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
    async create(job, message, announced = [], events = SUBMITTED) {
      const asked = { job, message: JSON.stringify(message), announced, events };
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

type NewJobAsk = NewJobRows & { readonly announced: readonly Announcement[] };

/** What is written for a job: it is handed in, or it moves. */
type Write =
  | { readonly kind: 'create'; readonly ask: NewJobAsk }
  | { readonly kind: 'move'; readonly ask: MoveRows };

function createGroups({ store, signals, progress }: PostgresJobStoreParts) {
  /**
   * Runs one statement for all, and hands over what was announced with those that were written: the ids of these. A single
   * one is written anew without its progress where the table of build events refuses that.
   */
  async function runTold(
    creations: readonly NewJobAsk[],
    moves: readonly MoveRows[],
  ): Promise<ReadonlySet<string>> {
    const announced = {
      created: creations.flatMap(({ announced: told, job }) =>
        placed(told, { jobId: job.id, at: job.createdAt }, signals),
      ),
      moved: moves.flatMap(({ move }) => placed(move.announce ?? [], move, signals)),
    };
    const runAs = (isTold: boolean) =>
      store.run<WrittenJobs>(
        ...writeStatement(
          [creations, { announced: announced.created, isTold }],
          [moves, { announced: announced.moved, isTold }],
        ),
      );
    const written = new Set<string>();
    try {
      const isAlone = creations.length + moves.length === 1;
      const [row] = await (progress && isAlone
        ? progress.orWithout(runAs)
        : runAs(progress !== undefined));
      for (const ids of [row?.created, row?.moved])
        for (const id of ids?.split(',') ?? []) written.add(id);
      return written;
    } finally {
      const isWritten = (jobId: string) => written.has(jobId);
      handOver([...announced.created, ...announced.moved], isWritten, signals);
    }
  }

  const write = createStatementGroup<Write, boolean>({
    keyOf: ({ kind, ask }) =>
      kind === 'create' ? `${ask.job.organizationId}/${ask.job.publicId}` : ask.move.jobId,
    mostUnderWay: WRITES_UNDER_WAY,
    sizeOf: ({ kind, ask }) => (kind === 'create' ? ask.message.length : (ask.result?.length ?? 0)),
    async runAll(asked) {
      const written = await runTold(
        asked.flatMap(({ kind, ask }) => (kind === 'create' ? [ask] : [])),
        asked.flatMap(({ kind, ask }) => (kind === 'move' ? [ask] : [])),
      );
      return asked.map(({ kind, ask }) =>
        written.has(kind === 'create' ? ask.job.id : ask.move.jobId),
      );
    },
  });

  return {
    /** Whether it is new. */
    create: (ask: NewJobAsk) => write({ kind: 'create', ask }),
    // The fence says that it was as its mover saw it, so that it need not be read to know how it is now.
    move: async (ask: MoveRows) =>
      (await write({ kind: 'move', ask })) ? ask.move.moved : undefined,
    find: createStatementGroup<string, Job | undefined>({
      async runAll(ids) {
        const rows = await store.run<JobRow>(FIND, [ids]);
        const found = new Map(rows.map((row) => [row.id, toJob(row)]));
        return ids.map((id) => found.get(id));
      },
    }),
    message: createStatementGroup<string, JobMessage | undefined>({
      async runAll(ids) {
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
