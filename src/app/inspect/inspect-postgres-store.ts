// A look at the PostgreSQL that DATABASE_URL names, for `doctor`. What an operator can mend is a StartFailure.

import {
  inspectPostgres,
  type PostgresInspection,
} from '../../adapters/postgres/connection/inspect-postgres.ts';
import { placeOf } from '../../adapters/postgres/connection/why-unusable.ts';
import { systemClock } from '../../kernel/clock.ts';
import { orSentence } from '../open/open-postgres-store.ts';

export type StoreInspection = PostgresInspection & { readonly place: string };

export function inspectPostgresStore(databaseUrl: string): Promise<StoreInspection> {
  return orSentence(databaseUrl, async () => ({
    place: placeOf(databaseUrl),
    ...(await inspectPostgres(databaseUrl, () => systemClock.now())),
  }));
}
