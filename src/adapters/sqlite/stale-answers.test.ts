import {
  CONTRACT_RETENTION_MS,
  staleAnswersContract,
} from '../../../test/contract/stale-answers.ts';
import { createStaleAnswers } from '../sql/stale-answers.ts';
import { openSqlite } from './open-sqlite.ts';

staleAnswersContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return {
    answers: createStaleAnswers(store.db, { retentionMs: CONTRACT_RETENTION_MS }),
    close: () => store.close(),
  };
});
