// The parts that the adapters of this folder need of a store: its tables and its dialect.

import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

export type SqlStore = { readonly db: Kysely<Schema>; readonly dialect: SqlDialect };
