// Organisations on either SQL store. `deleted_at` marks a tombstone.

import {
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import type { Organization, OrganizationChange } from '../../admission/organization.ts';
import type {
  OrganizationList,
  OrganizationPage,
  OrganizationStore,
} from '../../admission/organization-store.ts';
import type { OrganizationsTable, Schema } from './schema.ts';
import { fromBoolean, toBoolean, toNumber, toOptionalNumber } from './sql-dialect.ts';
import { MAX_EXAMINED, selectMatches } from './text-matches.ts';

export function createOrganizationStore(db: Kysely<Schema>): OrganizationStore {
  return {
    async create(organization) {
      const created = await db
        .insertInto('organizations')
        .values(toRow(organization))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      return created !== undefined;
    },
    async find(id) {
      const row = await db
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row && toOrganization(row);
    },
    list: ({ text, ...page }) =>
      text === undefined ? listAll(db, page) : listMatching(db, { ...page, text }),
    async update(id, change, now) {
      const row = await db
        .updateTable('organizations')
        .set({ ...toChangedColumns(change), updated_at: now })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      return row && toOrganization(row);
    },
    delete: (id, now) => db.transaction().execute((trx) => deleteOrganization(trx, id, now)),
    async isTaken(id) {
      const row = await db
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },
    async changedSince(since) {
      const rows = await db
        .selectFrom('organizations')
        .selectAll()
        .where('updated_at', '>=', since)
        .execute();
      return rows.map(toOrganization);
    },
  };
}

type Page = Omit<OrganizationPage, 'text'>;

async function listAll(db: Kysely<Schema>, { after, limit }: Page): Promise<OrganizationList> {
  const rows = await live(db, after)
    .selectAll()
    .limit(limit + 1)
    .execute();
  const organizations = rows.slice(0, limit).map(toOrganization);
  return { organizations, next: rows.length > limit ? organizations.at(-1)?.id : undefined };
}

async function listMatching(
  db: Kysely<Schema>,
  { after, limit, text }: Page & { readonly text: string },
): Promise<OrganizationList> {
  const window = await live(db, after).select(['id', 'name']).limit(MAX_EXAMINED).execute();
  const { ids, next } = selectMatches(window, text, limit);
  if (ids.length === 0) return { organizations: [], next };
  const rows = await live(db, undefined).selectAll().where('id', 'in', ids).execute();
  return { organizations: rows.map(toOrganization), next };
}

function live(db: Kysely<Schema>, after: string | undefined) {
  return db
    .selectFrom('organizations')
    .where('id', '>', after ?? '')
    .where('deleted_at', 'is', null)
    .orderBy('id');
}

async function deleteOrganization(
  trx: Transaction<Schema>,
  id: string,
  now: number,
): Promise<Organization | undefined> {
  const row = await trx
    .updateTable('organizations')
    .set({ deleted_at: now, updated_at: now, webhook_secret: null })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: sql<number>`coalesce(revoked_at, ${now})` })
    .where('organization_id', '=', id)
    .execute();
  return toOrganization(row);
}

export function toOrganization(row: Selectable<OrganizationsTable>): Organization {
  return {
    id: row.id,
    name: row.name,
    monthlyBudgetNanos: toNumber(row.monthly_budget_nanos),
    userMonthlyBudgetNanos: toOptionalNumber(row.user_monthly_budget_nanos),
    requestsPerMinute: toNumber(row.requests_per_minute),
    tokensPerMinute: toOptionalNumber(row.tokens_per_minute),
    tokensPerDay: toOptionalNumber(row.tokens_per_day),
    maxConcurrent: toOptionalNumber(row.max_concurrent),
    locale: row.locale ?? undefined,
    timeZone: row.time_zone,
    messages: JSON.parse(row.messages) as Record<string, string>,
    allowStale: toBoolean(row.allow_stale),
    allowPromptPreview: toBoolean(row.allow_prompt_preview),
    webhookSecret: row.webhook_secret ?? undefined,
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
  };
}

function toRow(organization: Organization): Insertable<OrganizationsTable> {
  return {
    id: organization.id,
    name: organization.name,
    monthly_budget_nanos: organization.monthlyBudgetNanos,
    user_monthly_budget_nanos: organization.userMonthlyBudgetNanos ?? null,
    requests_per_minute: organization.requestsPerMinute,
    tokens_per_minute: organization.tokensPerMinute ?? null,
    tokens_per_day: organization.tokensPerDay ?? null,
    max_concurrent: organization.maxConcurrent ?? null,
    locale: organization.locale ?? null,
    time_zone: organization.timeZone,
    messages: JSON.stringify(organization.messages),
    allow_stale: fromBoolean(organization.allowStale),
    allow_prompt_preview: fromBoolean(organization.allowPromptPreview),
    webhook_secret: organization.webhookSecret ?? null,
    created_at: organization.createdAt,
    updated_at: organization.updatedAt,
  };
}

/** Kysely omits undefined values from SET, so columns that the change does not mention stay. */
function toChangedColumns(change: OrganizationChange): Updateable<OrganizationsTable> {
  return {
    name: change.name,
    monthly_budget_nanos: change.monthlyBudgetNanos,
    user_monthly_budget_nanos: change.userMonthlyBudgetNanos,
    requests_per_minute: change.requestsPerMinute,
    tokens_per_minute: change.tokensPerMinute,
    tokens_per_day: change.tokensPerDay,
    max_concurrent: change.maxConcurrent,
    locale: change.locale,
    time_zone: change.timeZone,
    messages: change.messages && JSON.stringify(change.messages),
    allow_stale: change.allowStale === undefined ? undefined : fromBoolean(change.allowStale),
    allow_prompt_preview:
      change.allowPromptPreview === undefined ? undefined : fromBoolean(change.allowPromptPreview),
    webhook_secret: change.webhookSecret,
  };
}
