// Keys on either SQL store. A key is returned with its organisation. A key that was created while its organisation was being
// deleted is not found: the deletion could not revoke it.

import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { KeyScope } from '../../admission/key-scope.ts';
import type { KeyStore, StoredKey } from '../../admission/key-store.ts';
import { toOrganization } from './organization-store.ts';
import type { ApiKeysTable, Schema } from './schema.ts';
import { fromBoolean, toBoolean, toNumber, toOptionalNumber } from './sql-dialect.ts';

export function createKeyStore(db: Kysely<Schema>): KeyStore {
  return {
    create: (key) =>
      db.transaction().execute(async (trx) => {
        const organization = await trx
          .selectFrom('organizations')
          .select('id')
          .where('id', '=', key.organizationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (!organization) return false;
        await trx.insertInto('api_keys').values(toRow(key)).execute();
        return true;
      }),
    async findByHash(hash) {
      const key = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!key) return undefined;
      const organization = await db
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', key.organization_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return organization && { key: toKey(key), organization: toOrganization(organization) };
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toKey);
    },
    async revoke(organizationId, keyId, now) {
      const row = await db
        .updateTable('api_keys')
        .set({ revoked_at: sql<number>`coalesce(revoked_at, ${now})` })
        .where('organization_id', '=', organizationId)
        .where('id', '=', keyId)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    async revokedSince(since) {
      const rows = await db
        .selectFrom('api_keys')
        .select('hash')
        .where('revoked_at', '>=', since)
        .execute();
      return rows.map((row) => row.hash);
    },
  };
}

function toRow(key: StoredKey): Insertable<ApiKeysTable> {
  return {
    id: key.id,
    organization_id: key.organizationId,
    name: key.name,
    hash: key.hash,
    prefix: key.prefix,
    scopes: JSON.stringify(key.scopes),
    diagnostics: fromBoolean(key.diagnostics),
    monthly_budget_nanos: key.monthlyBudgetNanos ?? null,
    requests_per_minute: key.requestsPerMinute ?? null,
    models: key.models ? JSON.stringify(key.models) : null,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    created_at: key.createdAt,
  };
}

function toKey(row: Selectable<ApiKeysTable>): StoredKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hash: row.hash,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as KeyScope[],
    diagnostics: toBoolean(row.diagnostics),
    monthlyBudgetNanos: toOptionalNumber(row.monthly_budget_nanos),
    requestsPerMinute: toOptionalNumber(row.requests_per_minute),
    models: row.models === null ? undefined : (JSON.parse(row.models) as string[]),
    expiresAt: toOptionalNumber(row.expires_at),
    revokedAt: toOptionalNumber(row.revoked_at),
    createdAt: toNumber(row.created_at),
  };
}
