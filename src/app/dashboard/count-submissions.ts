// Counts the jobs that this process has stored, of callers and of the raw queue: the arrival rate on the dashboard.

import type { Metrics } from '../../kernel/metrics.ts';
import type { Store } from '../store-ports.ts';

export function countSubmissions(store: Store, metrics: Metrics): Store {
  const submitted = metrics.counter('jobs.submitted', 'Jobs accepted and stored.').cell();
  const { jobs } = store;
  return {
    ...store,
    jobs: {
      ...jobs,
      async create(...job) {
        const created = await jobs.create(...job);
        if (created.isNew) submitted.value += 1;
        return created;
      },
    },
  };
}
