// The results of jobs, as they are stored. A result may have megabytes, such as the vectors of a thousand texts: other work runs
// between the steps of storing one, and a large one is read without parsing the provider's response in it.

import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { JobResult } from '../../../jobs/model/job.ts';
import type { WrittenJson } from '../../../jobs/model/written-json.ts';
import type { JobMove } from '../../../jobs/ports/job-store.ts';
import { LARGE_TEXT_BYTES, turnAfter } from '../../../kernel/next-turn.ts';
import type { Schema } from '../schema.ts';

/** The result of a move, as it is stored; undefined without one. The response is its last field. */
export async function resultTextOf({ result }: JobMove): Promise<string | undefined> {
  if (!result) return undefined;
  const { response, ...others } = result;
  const text = JSON.stringify({ ...others, response });
  await turnAfter(text.length);
  return text;
}

/** A plain insert: the fence admits one success, and a job retried from a dead letter never had a result. */
export async function saveResult(
  trx: Transaction<Schema>,
  jobId: string,
  result: string,
): Promise<void> {
  await trx.insertInto('job_results').values({ job_id: jobId, result }).execute();
  // The embedded store writes a large text twice: into its cache here, and to the disk at the commit.
  await turnAfter(result.length);
}

/**
 * Reads results. The embedded store reads within a turn of the event loop, so that each step on a large result has a turn of
 * its own. Large results are read one after the other: the first ones are sent before the last ones fill the memory.
 */
export function createResultReader(db: Kysely<Schema>) {
  let lastLarge: Promise<unknown> = Promise.resolve();
  return async (jobId: string): Promise<JobResult | undefined> => {
    const row = await resultOf(db, jobId, SMALL);
    if (!row) return undefined;
    if (row.text !== null) return JSON.parse(row.text);
    const large = lastLarge.then(() => largeResultOf(db, jobId));
    // Without its value, which it would keep in memory.
    lastLarge = large.then(ignore, ignore);
    return large;
  };
}

async function largeResultOf(db: Kysely<Schema>, jobId: string): Promise<JobResult | undefined> {
  await turnAfter(LARGE_TEXT_BYTES);
  const found = await resultOf(db, jobId, WHOLE);
  await turnAfter(LARGE_TEXT_BYTES);
  return found && parseLarge(found.text ?? '');
}

function ignore(): void {}

const WHOLE = sql<string | null>`result`;
const SMALL = sql<
  string | null
>`case when octet_length(result) <= ${LARGE_TEXT_BYTES} then result end`;

function resultOf(db: Kysely<Schema>, jobId: string, text: RawBuilder<string | null>) {
  return db
    .selectFrom('job_results')
    .select(text.as('text'))
    .where('job_id', '=', jobId)
    .executeTakeFirst();
}

function parseLarge(text: string): JobResult {
  return splitResult(text) ?? JSON.parse(text);
}

const RESPONSE = ',"response":';

/** Undefined for a text in which fields follow the response, as an earlier version stored them. Quotes in texts are escaped. */
function splitResult(text: string): JobResult | undefined {
  const at = text.indexOf(RESPONSE);
  const others = at < 0 ? {} : JSON.parse(`${text.slice(0, at)}}`);
  if (others.costNanos === undefined) return undefined;
  return { ...others, response: writtenJson(text.slice(at + RESPONSE.length, -1)) };
}

function writtenJson(text: string): WrittenJson {
  return { writtenJson: text, toJSON: () => JSON.parse(text) };
}
