// Can the embedded store be read, and is it up to date? A store behind DATABASE_URL has a check of its own.

import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

export const storeCheck: DoctorCheck = {
  name: 'store',
  async look({ config }) {
    const { databaseUrl, dataDir } = config.storage;
    if (databaseUrl !== undefined) return [];
    try {
      const { inspectStore } = await import('../../app/inspect/inspect-store.ts');
      const { exists, pending } = await inspectStore(config);
      return [exists ? upToDate(pending) : ok('There is no store yet; the first start makes it.')];
    } catch (error) {
      return [unreadable(dataDir, error)];
    }
  },
};

function upToDate(pending: readonly string[]): Verdict {
  if (pending.length === 0) return ok('The store can be read and is up to date.');
  return warning(
    `The store lacks ${pending.join(', ')}.`,
    'Start the server, which brings it up to date, or run: spillway migrate',
  );
}

function unreadable(dataDir: string, error: unknown): Verdict {
  const reason = error instanceof Error ? error.message : String(error);
  return failed(
    `The store in ${dataDir} cannot be read (${reason}).`,
    'Put back a copy of spillway.db (with its -wal file), or move it away to begin with an empty one.',
  );
}
