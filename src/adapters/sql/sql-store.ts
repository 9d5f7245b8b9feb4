// What every adapter of this folder is given: the tables, and what its store cannot be told alike.

import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

export type SqlStore = { readonly db: Kysely<Schema>; readonly dialect: SqlDialect };
