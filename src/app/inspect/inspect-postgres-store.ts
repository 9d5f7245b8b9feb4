// Inspects the PostgreSQL of DATABASE_URL for `doctor`. A failure that an operator can fix is a StartFailure.

import { addressOf } from '../../adapters/postgres/connection/connection-failure.ts';
import {
  inspectPostgres,
  type PostgresInspection,
} from '../../adapters/postgres/connection/inspect-postgres.ts';
import { systemClock } from '../../kernel/clock.ts';
import { refuseTransactionPooling, withStartFailures } from '../open/open-postgres-store.ts';

export type StoreInspection = PostgresInspection & { readonly address: string };

export function inspectPostgresStore(databaseUrl: string): Promise<StoreInspection> {
  return withStartFailures(databaseUrl, async () => {
    await refuseTransactionPooling(databaseUrl);
    const found = await inspectPostgres(databaseUrl, () => systemClock.now());
    return { address: addressOf(databaseUrl), ...found };
  });
}
