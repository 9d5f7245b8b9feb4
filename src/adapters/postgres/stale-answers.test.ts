import { after, before } from 'node:test';
import {
  CONTRACT_RETENTION_MS,
  staleAnswersContract,
} from '../../../test/contract/stale-answers.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createStaleAnswers } from '../sql/stale-answers.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('stale');
});
after(() => database.drop());

staleAnswersContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return {
    answers: createStaleAnswers(store.db, { retentionMs: CONTRACT_RETENTION_MS }),
    close: () => store.close(),
  };
});
