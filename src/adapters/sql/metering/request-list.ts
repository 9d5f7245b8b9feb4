// The list of requests on either SQL store. With filters the newest records are examined in a window of bounded size;
// the next page continues after the window's last record.

import { type Kysely, sql } from 'kysely';
import type {
  RequestList,
  RequestPage,
  RequestPlace,
} from '../../../metering/usage/request-list.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { toUsageRecord } from './record-columns.ts';
import { STATUSES_OF_NO_FAILURE } from './usage-rollup.ts';

/** Examining these takes a store in this process a few milliseconds. */
const MAX_EXAMINED = 2000;
const MAX_ATTEMPTS = 100;

export function createRequestList(db: Kysely<Schema>): RequestList {
  return {
    async page(page) {
      const rows = await matching(db, page).execute();
      const records = rows.slice(0, page.limit).map(toUsageRecord);
      if (rows.length > page.limit) return { records, next: cursorAfter(records.at(-1)) };
      return { records, next: await windowEnd(db, page) };
    },
    async attempts(requestId) {
      const rows = await db
        .selectFrom('usage_records')
        .selectAll()
        // Ids are `request.attempt`; the slash is the next character after the dot, so it ends the range of a request's ids.
        .where('id', '>=', `${requestId}.`)
        .where('id', '<', `${requestId}/`)
        .limit(MAX_ATTEMPTS)
        .execute();
      return rows.map(toUsageRecord).toSorted((one, other) => one.attempt - other.attempt);
    },
  };
}

function matching(db: Kysely<Schema>, page: RequestPage) {
  const { code, model, provider, minLatencyMs } = page;
  return db
    .selectFrom(window(db, page).selectAll().limit(MAX_EXAMINED).as('recent'))
    .selectAll()
    .where(
      sql<boolean>`not exists (select 1 from usage_records later
        where later.id = recent.request_id || '.' || (recent.attempt + 1))`,
    )
    .$if(code === 'failed', (query) => query.where('status', 'not in', [...STATUSES_OF_NO_FAILURE]))
    .$if(code !== undefined && code !== 'failed', (query) => query.where('status', '=', code ?? ''))
    .$if(model !== undefined, (query) => query.where('model', '=', model ?? ''))
    .$if(provider !== undefined, (query) => query.where('provider', '=', provider ?? ''))
    .$if(minLatencyMs !== undefined, (query) => query.where('latency_ms', '>=', minLatencyMs ?? 0))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
}

/** Undefined if the window reaches the end of the range. */
async function windowEnd(db: Kysely<Schema>, page: RequestPage): Promise<RequestPlace | undefined> {
  const last = await window(db, page)
    .select(['created_at', 'id'])
    .offset(MAX_EXAMINED - 1)
    .limit(1)
    .executeTakeFirst();
  return last && { createdAt: toNumber(last.created_at), id: last.id };
}

function window(db: Kysely<Schema>, { from, to, before, organizationId }: RequestPage) {
  return db
    .selectFrom('usage_records')
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .$if(organizationId !== undefined, (query) =>
      query.where('organization_id', '=', organizationId ?? ''),
    )
    .$if(before !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${before?.createdAt}, ${before?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

function cursorAfter(record: RequestPlace | undefined): RequestPlace | undefined {
  return record && { createdAt: record.createdAt, id: record.id };
}
