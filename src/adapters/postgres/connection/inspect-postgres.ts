// A look at a PostgreSQL store without changing it, beside servers that are using it or before one ever has.
// Throws the driver's own error when it cannot be reached.

import { sql } from 'kysely';
import { pendingInPostgres } from './migrate-postgres.ts';
import { openPostgres } from './open-postgres.ts';

export type PostgresInspection = {
  /** Such as `15.14`. */
  readonly version: string;
  /** Migrations that it lacks, oldest first. */
  readonly pending: readonly string[];
  /** By how much its clock is ahead of ours. */
  readonly aheadMs: number;
  /** Whether what it acknowledges survives a loss of power. */
  readonly isDurable: boolean;
  readonly maxConnections: number;
};

export async function inspectPostgres(url: string, now: () => number): Promise<PostgresInspection> {
  const store = openPostgres(url, { maxConnections: 1, applicationName: 'spillway doctor' });
  try {
    // The first statement also connects, which would be taken for a difference of the clocks.
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
