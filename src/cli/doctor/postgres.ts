// Checks the PostgreSQL of DATABASE_URL: version, migrations, durability, clock and connections. The store check covers
// embedded storage.

import type { StoreInspection } from '../../app/inspect/inspect-postgres-store.ts';
import { StartFailure } from '../../app/start-failure.ts';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const MIN_MAJOR = 12;
/** Tolerated clock difference: servers compare leases and windows with their own clocks. */
const TOLERANCE_MS = 1000;
/** A server's connections (docs/postgresql.md): ten for statements, two for readings, the session, and one more at the start. */
const SERVER_CONNECTIONS = 14;
/** Enough for one server and a few administrators. */
const MIN_CONNECTIONS = SERVER_CONNECTIONS + 4;

export const postgresCheck: DoctorCheck = {
  name: 'postgres',
  async inspect({ config }) {
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

export function verdicts(found: StoreInspection): readonly Verdict[] {
  const checks = [
    age(found),
    migrations(found),
    durability(found),
    clock(found),
    connections(found),
  ];
  const problems = checks.filter((verdict) => verdict !== undefined);
  if (problems.length > 0) return problems;
  return [ok(`PostgreSQL ${found.version} at ${found.address} can be used and is up to date.`)];
}

function age({ version }: StoreInspection): Verdict | undefined {
  if (Number.parseInt(version, 10) >= MIN_MAJOR) return undefined;
  return failed(`PostgreSQL ${version} is too old.`, `Use version ${MIN_MAJOR} or later.`);
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
    'PostgreSQL acknowledges commits that a power failure would lose.',
    'Set fsync and synchronous_commit to on.',
  );
}

function clock({ aheadMs }: StoreInspection): Verdict | undefined {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return warning(
    `The clock of PostgreSQL's machine is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine.`,
    'Run chrony or systemd-timesyncd on both machines.',
  );
}

function connections({ maxConnections }: StoreInspection): Verdict | undefined {
  if (maxConnections >= MIN_CONNECTIONS) return undefined;
  return warning(
    `PostgreSQL allows ${maxConnections} connections; one server may open ${SERVER_CONNECTIONS}.`,
    'Raise max_connections.',
  );
}
