// Keeps the functions of a PostgreSQL store equal to the SQL files of this folder. The table spillway_functions records
// the digest of each definition as applied; a definition with another digest is outdated and created anew with
// `create or replace`, which servers that are running do not notice. A changed signature needs a drop first: servers of
// the previous version then fail to call it, so new arguments of a released function need a new name, and
// functions without a file stay in the store. A definition applied by a newer version is not outdated: a server of the
// previous version must not undo an upgrade that is under way.

import { type Kysely, sql } from 'kysely';
import { VERSION } from '../../../kernel/version.ts';
import type { Schema } from '../../sql/schema.ts';
import { type FunctionDefinition, readFunctionDefinitions } from './function-definitions.ts';

/** Names of the definitions that the store lacks or has in an older version. Changes nothing. */
export async function outdatedFunctions(
  db: Kysely<Schema>,
  definitions: readonly FunctionDefinition[] = readFunctionDefinitions(),
): Promise<readonly string[]> {
  const applied = await readApplied(db);
  return definitions
    .filter((definition) => isOutdated(definition, applied.get(definition.name)))
    .map(({ name }) => name);
}

/**
 * Creates outdated definitions anew, in one transaction, and returns their names. A changed type takes the functions that
 * use it with it, so all definitions are created anew then. The caller holds the migration lock.
 */
export async function applyFunctions(
  db: Kysely<Schema>,
  definitions: readonly FunctionDefinition[] = readFunctionDefinitions(),
): Promise<readonly string[]> {
  const applied = await readApplied(db);
  const outdated = definitions.filter((each) => isOutdated(each, applied.get(each.name)));
  if (outdated.length === 0) return [];
  const chosen = outdated.some(({ kind }) => kind === 'type') ? definitions : outdated;
  await db.transaction().execute(async (trx) => {
    await createAppliedTable(trx);
    // Bodies may call functions that are created after them.
    await sql`set local check_function_bodies = off`.execute(trx);
    for (const definition of chosen)
      await dropIfChanged(trx, definition, applied.get(definition.name));
    for (const definition of chosen) await create(trx, definition);
  });
  return chosen.map(({ name }) => name);
}

type AppliedDefinition = {
  readonly name: string;
  readonly signature: string;
  readonly digest: string;
  /** The version of Spillway that applied it. */
  readonly version: string;
};

async function createAppliedTable(db: Kysely<Schema>): Promise<void> {
  await sql`create table if not exists spillway_functions (
    name text collate "C" primary key, signature text collate "C" not null, digest text collate "C" not null,
    version text collate "C" not null)`.execute(db);
}

async function readApplied(db: Kysely<Schema>): Promise<ReadonlyMap<string, AppliedDefinition>> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('spillway_functions') is not null as exists`.execute(db);
  if (!tables[0]?.exists) return new Map();
  const { rows } = await sql<AppliedDefinition>`
    select name, signature, digest, version from spillway_functions`.execute(db);
  return new Map(rows.map((row) => [row.name, row]));
}

function isOutdated({ digest }: FunctionDefinition, applied: AppliedDefinition | undefined) {
  return applied === undefined || (applied.digest !== digest && !isNewer(applied.version, VERSION));
}

/** Whether a version such as 1.10.0 comes after another. */
function isNewer(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}

async function dropIfChanged(
  trx: Kysely<Schema>,
  { kind, name, signature }: FunctionDefinition,
  applied: AppliedDefinition | undefined,
): Promise<void> {
  if (applied === undefined) return;
  if (kind === 'function' && applied.signature === signature) return;
  await (kind === 'type'
    ? sql`drop type if exists ${sql.id(name)} cascade`
    : sql`drop function if exists ${sql.id(name)}`
  ).execute(trx);
}

async function create(trx: Kysely<Schema>, definition: FunctionDefinition): Promise<void> {
  const { name, text, signature, digest } = definition;
  await sql.raw(text).execute(trx);
  await sql`insert into spillway_functions (name, signature, digest, version)
    values (${name}, ${signature}, ${digest}, ${VERSION})
    on conflict (name) do update set signature = excluded.signature, digest = excluded.digest,
      version = excluded.version`.execute(trx);
}
