// Checks that the embedded store is readable and has all migrations. The postgres check covers DATABASE_URL.

import { reasonOf } from '../../kernel/log.ts';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

export const storeCheck: DoctorCheck = {
  name: 'store',
  async inspect({ config }) {
    const { databaseUrl, dataDir } = config.storage;
    if (databaseUrl !== undefined) return [];
    try {
      const { inspectStore } = await import('../../app/inspect/inspect-store.ts');
      const { exists, pending } = await inspectStore(config);
      return [
        exists ? upToDate(pending) : ok('There is no store yet; the first start creates it.'),
      ];
    } catch (error) {
      return [unreadable(dataDir, error)];
    }
  },
};

function upToDate(pending: readonly string[]): Verdict {
  if (pending.length === 0) return ok('The store is readable and up to date.');
  return warning(
    `The store lacks ${pending.join(', ')}.`,
    'Start the server, which runs pending migrations, or run: spillway migrate',
  );
}

function unreadable(dataDir: string, error: unknown): Verdict {
  return failed(
    `The store in ${dataDir} cannot be read (${reasonOf(error)}).`,
    'Restore a copy of spillway.db (with its -wal file), or move the file to start with an empty store.',
  );
}
