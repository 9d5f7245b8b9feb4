// Reads the store over its own connection, independently of Spillway. While PostgreSQL is down every query rejects and
// the caller repeats it.

import pg from 'pg';
import { z } from 'zod';

const whole = z.coerce.number();
const Job = z.object({
  id: z.string(),
  publicId: z.string(),
  state: z.string(),
  isFromQueue: z.boolean(),
  errorCode: z.string().nullable(),
  losses: whole,
  leaseOwner: z.string().nullable(),
  hasResult: z.boolean(),
  isDeadLetter: z.boolean(),
  /** Usage records of calls that were answered. */
  settled: whole,
  /** All usage records, including cut calls and calls of dead processes, which are charged as reserved. */
  records: whole,
});
const Money = z.object({
  records: whole,
  /** Usage records of answered calls. */
  settled: whole,
  costNanos: whole,
  postedNanos: whole,
  reservedNanos: whole,
  /** The reserved amounts by the rows of reservations and allotments. */
  spokenForNanos: whole,
  rolledUp: whole,
});
const Month = z.object({ month: whole, postedNanos: whole, reservedNanos: whole });
const Letter = z.object({ body: z.string(), errorCode: z.string(), jobId: z.string().nullable() });

export type StoredJob = z.infer<typeof Job>;
export type StoredMoney = z.infer<typeof Money>;
export type StoredMonth = z.infer<typeof Month>;
export type StoredLetter = z.infer<typeof Letter>;

export type StoreView = {
  jobs(): Promise<StoredJob[]>;
  /** The number of jobs, and of jobs that have not ended. */
  progress(): Promise<{
    readonly all: number;
    readonly open: number;
    readonly reservations: number;
  }>;
  money(): Promise<StoredMoney>;
  /** The organisation's budget by month, oldest first. */
  months(): Promise<StoredMonth[]>;
  deadLetters(): Promise<StoredLetter[]>;
};

const Progress = z.object({ all: whole, open: whole, reservations: whole });
const ANSWER_WITHIN_MS = 10_000;

export function openStoreView(databaseUrl: string): StoreView {
  const read = async <T>(sql: string, row: z.ZodType<T>): Promise<T[]> =>
    z.array(row).parse(await query(databaseUrl, sql));
  const readOne = async <T>(sql: string, row: z.ZodType<T>): Promise<T> => {
    const [first] = await read(sql, row);
    if (first === undefined) throw new Error('The store gave no row');
    return first;
  };
  return {
    jobs: () => read(JOBS, Job),
    progress: () => readOne(PROGRESS, Progress),
    money: () => readOne(MONEY, Money),
    months: () => read(MONTHS, Month),
    deadLetters: () => read(DEAD_LETTERS, Letter),
  };
}

async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  // A connection error between two statements would be an unhandled event.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A usage record is named after the run of its job and the attempt in it: job.run.attempt. */
const JOBS = `
  select j.id, j.public_id as "publicId", j.state, j.origin = 'queue' as "isFromQueue", j.error::json->>'code' as "errorCode", j.losses,
    j.lease_owner as "leaseOwner", r.job_id is not null as "hasResult",
    exists (select from spillway.dead_letters d where d.job_id = j.id) as "isDeadLetter",
    coalesce(u.settled, 0) as settled, coalesce(u.records, 0) as records
  from spillway.jobs j left join spillway.job_results r on r.job_id = j.id
  left join (
    select split_part(id, '.', 1) as job_id, count(*) as records,
      count(*) filter (where status = 'OK') as settled
    from spillway.usage_records group by 1
  ) u on u.job_id = j.id`;

const PROGRESS = `
  select (select count(*) from spillway.jobs) as all,
    (select count(*) from spillway.jobs where state in ('queued', 'delayed', 'running')) as open,
    (select count(*) from spillway.budget_reservations where is_void = 0)
      + (select count(*) from spillway.budget_allotments where purpose = 'working') as reservations`;

const MONEY = `
  select u.records, u.settled, u.cost as "costNanos", p.posted as "postedNanos", p.reserved as "reservedNanos",
    (select coalesce(sum(amount_nanos), 0) from spillway.budget_reservations)
      + (select coalesce(sum(amount_nanos), 0) from spillway.budget_allotments
         where kind = 'organization') as "spokenForNanos",
    (select coalesce(sum(attempts), 0) from spillway.usage_rollups) as "rolledUp"
  from (select count(*) as records, count(*) filter (where status = 'OK') as settled, coalesce(sum(cost_nanos), 0) as cost
        from spillway.usage_records) u,
    (select coalesce(sum(posted_nanos), 0) as posted, coalesce(sum(reserved_nanos), 0) as reserved
     from spillway.budget_periods where kind = 'organization') p`;

const MONTHS = `
  select month, posted_nanos as "postedNanos", reserved_nanos as "reservedNanos"
  from spillway.budget_periods where kind = 'organization' order by month`;

const DEAD_LETTERS = `
  select body, error_code as "errorCode", job_id as "jobId" from spillway.dead_letters`;
