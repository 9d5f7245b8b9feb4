// The dashboard's readings over a store, with the stores that write its rows, for the contract suite.

import { createJobFigures } from '../../../src/adapters/sql/jobs/job-figures.ts';
import { createJobStore } from '../../../src/adapters/sql/jobs/job-store.ts';
import { createRequestList } from '../../../src/adapters/sql/metering/request-list.ts';
import { createSpendStore } from '../../../src/adapters/sql/metering/spend-store.ts';
import { createOrganizationStore } from '../../../src/adapters/sql/organization-store.ts';
import { createQueueSignals } from '../../../src/adapters/sql/queue/queue-signals.ts';
import type { SqlStore } from '../../../src/adapters/sql/sql-dialect.ts';
import { newOrganization } from '../../../src/admission/organization.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import type { UsageStore } from '../../../src/metering/usage/usage-store.ts';
import { plainJob } from '../../contract/jobs/job-samples.ts';

export function openReadings(db: SqlStore['db'], usage: UsageStore) {
  const jobs = createJobStore({ db, signals: createQueueSignals() });
  return {
    requests: createRequestList(db),
    spend: createSpendStore(db),
    jobs: createJobFigures(db),
    usage,
    addOrganization: (id: string) => createOrganizationStore(db).create(newOrganization({ id }, 1)),
    addJob: (job: Pick<Job, 'id' | 'state' | 'runAt' | 'metadata'>) =>
      jobs.create(
        plainJob({ ...job, publicId: job.id, organizationId: 'acme', provider: undefined }),
        { prompt: 'hello' },
      ),
  };
}
