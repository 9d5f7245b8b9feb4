// Samples on either SQL store. A save is one transaction of upserts; a read sums over the sources in the store, so that the
// number of servers does not change the size of the answer.

import { type Insertable, type Kysely, sql } from 'kysely';
import type { Sample } from '../../../series/sample.ts';
import type {
  SeriesInterval,
  SeriesRange,
  SeriesRow,
  SeriesStore,
} from '../../../series/series-store.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import {
  BIN_COLUMNS,
  COUNT_COLUMNS,
  SAMPLE_COLUMNS,
  type SampleColumn,
  type SeriesErrorsTable,
  type SeriesSamplesTable,
} from './series-table.ts';

/** Rows of 27 columns: within the bound of variables of either store. */
const ROWS_PER_STATEMENT = 200;
/** RESOLUTIONS_MS of the port; adapters import only types. */
const RESOLUTIONS: readonly SeriesRow['resolutionMs'][] = [60_000, 300_000, 1_800_000];

/** `reads`: the connections of readings, where they are separate from the connections of requests. */
export function createSeriesStore(db: Kysely<Schema>, reads: Kysely<Schema> = db): SeriesStore {
  return {
    async save(rows) {
      if (rows.length === 0) return;
      await db.transaction().execute(async (transaction) => {
        for (let index = 0; index < rows.length; index += ROWS_PER_STATEMENT)
          await saveRows(transaction, rows.slice(index, index + ROWS_PER_STATEMENT));
      });
    },
    read: (range) => readIntervals(reads, range),
    async prune(before) {
      let forgotten = 0;
      // By resolution, because the keys begin with it.
      for (const resolutionMs of RESOLUTIONS)
        for (const name of ['series_samples', 'series_errors'] as const) {
          const deleted = await db
            .deleteFrom(name)
            .where('resolution_ms', '=', resolutionMs)
            .where('starts_at', '<', before)
            .executeTakeFirst();
          if (name === 'series_samples') forgotten += Number(deleted.numDeletedRows);
        }
      return forgotten;
    },
  };
}

async function saveRows(db: Kysely<Schema>, rows: readonly SeriesRow[]): Promise<void> {
  await db
    .insertInto('series_samples')
    .values(rows.map(toSampleRow))
    .onConflict((conflict) =>
      conflict
        .columns(['resolution_ms', 'starts_at', 'source'])
        .doUpdateSet(
          Object.fromEntries(
            SAMPLE_COLUMNS.map((column) => [column, sql`excluded.${sql.ref(column)}`]),
          ),
        ),
    )
    .execute();
  const errors = rows.flatMap(toErrorRows);
  for (let index = 0; index < errors.length; index += ROWS_PER_STATEMENT)
    await db
      .insertInto('series_errors')
      .values(errors.slice(index, index + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['resolution_ms', 'starts_at', 'source', 'code'])
          .doUpdateSet({ failures: sql`excluded.failures` }),
      )
      .execute();
}

async function readIntervals(
  db: Kysely<Schema>,
  { resolutionMs, stepMs, from, to }: SeriesRange,
): Promise<readonly SeriesInterval[]> {
  const at = sql<number | string>`starts_at - starts_at % ${sql.lit(stepMs)}`;
  const [samples, errors] = await Promise.all([
    db
      .selectFrom('series_samples')
      .select(at.as('at'))
      .select(SAMPLE_COLUMNS.map((column) => summed(column).as(column)))
      .where('resolution_ms', '=', resolutionMs)
      .where('starts_at', '>=', from)
      .where('starts_at', '<', to)
      .groupBy(at)
      .orderBy('at')
      .execute(),
    db
      .selectFrom('series_errors')
      .select([at.as('at'), 'code', summed('failures').as('failures')])
      .where('resolution_ms', '=', resolutionMs)
      .where('starts_at', '>=', from)
      .where('starts_at', '<', to)
      .groupBy([at, 'code'])
      .execute(),
  ]);
  const errorsAt = new Map<number, Record<string, number>>();
  for (const row of errors) {
    const counts = errorsAt.get(toNumber(row.at)) ?? {};
    counts[row.code] = toNumber(row.failures);
    errorsAt.set(toNumber(row.at), counts);
  }
  return samples.map(({ at: begin, ...row }) => ({
    at: toNumber(begin),
    sample: toSample(row, errorsAt.get(toNumber(begin)) ?? {}),
  }));
}

/** PostgreSQL sums bigint to numeric, which may print a scale: it is cast back. */
function summed(column: SampleColumn | 'failures') {
  return sql<number | string>`cast(sum(${sql.ref(column)}) as bigint)`;
}

function toSampleRow(row: SeriesRow): Insertable<SeriesSamplesTable> {
  const { sample } = row;
  const bins = BIN_COLUMNS.map((column, bin) => [column, sample.latency[bin] ?? 0]);
  return {
    ...keyOf(row),
    requests: sample.requests,
    input_tokens: sample.inputTokens,
    output_tokens: sample.outputTokens,
    cost_nanos: sample.costNanos,
    retries: sample.retries,
    rate_limited: sample.rateLimited,
    jobs_in: sample.jobsIn,
    jobs_out: sample.jobsOut,
    jobs_failed: sample.jobsFailed,
    jobs_delayed: sample.jobsDelayed,
    ...(Object.fromEntries(bins) as Record<(typeof BIN_COLUMNS)[number], number>),
  };
}

function toErrorRows(row: SeriesRow): readonly Insertable<SeriesErrorsTable>[] {
  return Object.entries(row.sample.errors).map(([code, failures]) => ({
    ...keyOf(row),
    code,
    failures,
  }));
}

function keyOf({ resolutionMs, startsAt, source }: SeriesRow) {
  return { resolution_ms: resolutionMs, starts_at: startsAt, source };
}

function toSample(
  row: Readonly<Record<SampleColumn, number | string>>,
  errors: Readonly<Record<string, number>>,
): Sample {
  const count = (name: keyof typeof COUNT_COLUMNS) => toNumber(row[COUNT_COLUMNS[name]]);
  return {
    requests: count('requests'),
    inputTokens: count('inputTokens'),
    outputTokens: count('outputTokens'),
    costNanos: count('costNanos'),
    retries: count('retries'),
    rateLimited: count('rateLimited'),
    jobsIn: count('jobsIn'),
    jobsOut: count('jobsOut'),
    jobsFailed: count('jobsFailed'),
    jobsDelayed: count('jobsDelayed'),
    errors,
    latency: BIN_COLUMNS.map((column) => toNumber(row[column])),
  };
}
