// Inspects a PostgreSQL store without changing it, even while servers use it or before its first migration. Throws the
// driver's error if PostgreSQL cannot be reached.

import { sql } from 'kysely';
import { pendingInPostgres } from './migrate-postgres.ts';
import { openPostgres } from './open-postgres.ts';

export type PostgresInspection = {
  /** For example `15.14`. */
  readonly version: string;
  /** Migrations that the store lacks, oldest first. */
  readonly pending: readonly string[];
  /** Milliseconds by which PostgreSQL's clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** Whether an acknowledged commit survives a power failure. */
  readonly isDurable: boolean;
  readonly maxConnections: number;
};

export async function inspectPostgres(url: string, now: () => number): Promise<PostgresInspection> {
  const store = openPostgres(url, { maxConnections: 1, applicationName: 'spillway doctor' });
  try {
    // The first statement also connects: its duration must not count as a clock difference.
    const settings = await readSettings(store.db);
    const sentAt = now();
    const { rows } = await sql<{ now: number }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now`.execute(store.db);
    const middle = (sentAt + now()) / 2;
    return {
      ...settings,
      aheadMs: Math.round((rows[0]?.now ?? middle) - middle),
      pending: await pendingInPostgres(store),
    };
  } finally {
    await store.close();
  }
}

async function readSettings(db: ReturnType<typeof openPostgres>['db']) {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('server_version', 'fsync', 'synchronous_commit', 'max_connections')`.execute(db);
  const setting = (name: string) => rows.find((row) => row.name === name)?.setting ?? '';
  return {
    version: setting('server_version').split(' ')[0] ?? '',
    isDurable: setting('fsync') === 'on' && setting('synchronous_commit') !== 'off',
    maxConnections: Number(setting('max_connections')),
  };
}
