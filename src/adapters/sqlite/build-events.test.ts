import { sql } from 'kysely';
import {
  BUILD_EVENTS_CLOCK_START,
  buildEventStoreContract,
  UNOWNED_ORGANIZATION,
} from '../../../test/contract/build-event-store.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { createBuildEventStore } from '../sql/build-events.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobProgress } from '../sql/jobs/job-progress.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';
import { openSqlite } from './open-sqlite.ts';

buildEventStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  const { db, dialect } = store;
  const clock = createTestClock(BUILD_EVENTS_CLOCK_START);
  const progress = createJobProgress({ dialect, clock, log: silentLog });
  return {
    events: createBuildEventStore(store, { unownedOrganization: UNOWNED_ORGANIZATION }),
    async insertUnowned(buildId) {
      await sql`insert into project_build_events (build_id, event_type, event_data, created_at)
        values (${buildId}, 'theirs', '{}', 1)`.execute(db);
    },
    jobs: createJobStore({ db, signals: createQueueSignals(), progress }),
    history: createJobHistory(db, progress),
    close: () => store.close(),
  };
});
