// Runs the migrations that a store has not seen yet. They are additive and repeatable: a process killed in the
// middle leaves the store as it was, and running them again changes nothing. Embedded storage migrates when
// it is opened; a PostgreSQL store only when an operator says so, so there is also a look without touching.

import type { Kysely } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { createMigrations } from './migrations.ts';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** Names of the migrations that were run now, oldest first. */
export async function migrate(db: Kysely<Schema>, dialect: SqlDialect): Promise<readonly string[]> {
  const { error, results } = await migratorFor(db, dialect).migrateToLatest();
  if (error) throw new Error('the store could not be migrated', { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

/** Names of the migrations that the store still lacks. */
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
