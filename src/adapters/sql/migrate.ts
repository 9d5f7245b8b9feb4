// Runs the pending migrations of a store. They are additive and repeatable: a process killed during a migration leaves the
// store unchanged, and running them again changes nothing. Embedded storage migrates when it is opened; PostgreSQL only on
// an operator's request, so the pending ones can also be listed.

import type { Kysely } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { createMigrations } from './migrations.ts';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** Returns the names of the migrations that ran, oldest first. */
export async function migrate(db: Kysely<Schema>, dialect: SqlDialect): Promise<readonly string[]> {
  const { error, results } = await migratorFor(db, dialect).migrateToLatest();
  if (error) throw new Error('the store could not be migrated', { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

/** Names of the migrations that the store lacks, oldest first. */
export async function pendingMigrations(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<readonly string[]> {
  const known = await migratorFor(db, dialect).getMigrations();
  return known.filter((migration) => !migration.executedAt).map((migration) => migration.name);
}

function migratorFor(db: Kysely<Schema>, dialect: SqlDialect): Migrator {
  const provider: MigrationProvider = {
    getMigrations: () => Promise.resolve(createMigrations(dialect)),
  };
  return new Migrator({
    db: dialect.migrationPlugins.reduce((on, plugin) => on.withPlugin(plugin), db),
    provider,
    ...(dialect.schema === undefined ? {} : { migrationTableSchema: dialect.schema }),
    migrationTableName: 'spillway_migrations',
    migrationLockTableName: 'spillway_migrations_lock',
  });
}
