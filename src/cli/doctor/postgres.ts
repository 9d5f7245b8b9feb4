// Can the PostgreSQL behind DATABASE_URL be used, is it up to date, does it keep what it acknowledges, and do its
// clock and ours agree? Embedded storage has a check of its own.

import type { StoreInspection } from '../../app/inspect/inspect-postgres-store.ts';
import { StartFailure } from '../../app/start-failure.ts';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const OLDEST_MAJOR = 12;
/** Servers judge leases and windows by their own clocks. */
const TOLERANCE_MS = 1000;
/** What one server may open, and a few for people. */
const WANTED_CONNECTIONS = 15;

export const postgresCheck: DoctorCheck = {
  name: 'postgres',
  async look({ config }) {
    const { databaseUrl } = config.storage;
    if (databaseUrl === undefined) return [];
    try {
      const { inspectPostgresStore } = await import('../../app/inspect/inspect-postgres-store.ts');
      return verdicts(await inspectPostgresStore(databaseUrl));
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      return [failed(error.message, 'Correct DATABASE_URL, or start that PostgreSQL.')];
    }
  },
};

function verdicts(found: StoreInspection): readonly Verdict[] {
  const complaints = [age(found), migrations(found), durability(found), clock(found), room(found)];
  const told = complaints.filter((verdict) => verdict !== undefined);
  if (told.length > 0) return told;
  return [ok(`PostgreSQL ${found.version} at ${found.address} can be used and is up to date.`)];
}

function age({ version }: StoreInspection): Verdict | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return undefined;
  return failed(`PostgreSQL ${version} is too old.`, `Use version ${OLDEST_MAJOR} or later.`);
}

function migrations({ pending }: StoreInspection): Verdict | undefined {
  if (pending.length === 0) return undefined;
  return failed(
    `The store lacks ${pending.join(', ')}.`,
    'Run: spillway migrate (or set MIGRATE_ON_START=true)',
  );
}

function durability({ isDurable }: StoreInspection): Verdict | undefined {
  if (isDurable) return undefined;
  return warning(
    'PostgreSQL acknowledges what a loss of power would still take away.',
    'Set fsync and synchronous_commit to on.',
  );
}

function clock({ aheadMs }: StoreInspection): Verdict | undefined {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return warning(
    `The clock of PostgreSQL's machine is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`,
    'Run a time service, such as chrony or systemd-timesyncd, on both.',
  );
}

function room({ maxConnections }: StoreInspection): Verdict | undefined {
  if (maxConnections >= WANTED_CONNECTIONS) return undefined;
  return warning(
    `PostgreSQL allows ${maxConnections} connections in all; one server may open 11.`,
    'Raise max_connections.',
  );
}
